//! A drawing as PNG: a pixel for each unit, edges smoothed by how much of a pixel lies within.
//!
//! The format: <https://www.w3.org/TR/png-3/>.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::drawing::{Drawing, Picture, Rgb, Shade, Shape};
use super::glyphs::{ADVANCE, HEIGHT, WIDTH, strokes};

/// A place on the picture; pixel 0 is the square from 0 to 1.
type Point = (f32, f32);

impl Picture {
    /// A file of its own.
    pub fn png(&self) -> Vec<u8> {
        let Drawing { size, shapes, .. } = self.drawing();
        let mut canvas = Canvas { size: size as usize, pixels: vec![[255; 3]; (size * size) as usize] };
        shapes.iter().for_each(|shape| canvas.paint(shape));
        let rows: Vec<u8> = canvas.pixels.chunks(canvas.size).flat_map(row).collect();
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        let packed = packed.write_all(&rows).and_then(|()| packed.finish()).expect("memory takes all");
        let [a, b, c, d] = size.to_be_bytes();
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        // Eight bits each of red, green and blue; the one way of packing and filtering; not interlaced.
        chunk(&mut file, *b"IHDR", &[a, b, c, d, a, b, c, d, 8, 2, 0, 0, 0]);
        chunk(&mut file, *b"IDAT", &packed);
        chunk(&mut file, *b"IEND", &[]);
        file
    }
}

/// A row of pixels as it is packed: each as the difference from the one on its left.
fn row(pixels: &[Rgb]) -> Vec<u8> {
    const DIFFERENCES: u8 = 1;
    let mut bytes = vec![DIFFERENCES];
    let mut left = [0; 3];
    for pixel in pixels {
        bytes.extend(pixel.iter().zip(left).map(|(part, left)| part.wrapping_sub(left)));
        left = *pixel;
    }
    bytes
}

/// A part of the file: its length, its name, what is in it, the checksum of both.
fn chunk(file: &mut Vec<u8>, name: [u8; 4], bytes: &[u8]) {
    file.extend((bytes.len() as u32).to_be_bytes());
    let begin = file.len();
    file.extend(name);
    file.extend(bytes);
    file.extend(crc32fast::hash(&file[begin..]).to_be_bytes());
}

struct Canvas {
    size: usize,
    pixels: Vec<Rgb>,
}

impl Canvas {
    fn paint(&mut self, shape: &Shape) {
        let at = |x: &u32, y: &u32| (*x as f32, *y as f32);
        match shape {
            Shape::Rect { x, y, width, height, radius, fill } => {
                let (width, height, radius) = (*width as f32, *height as f32, *radius as f32);
                let middle = (*x as f32 + width / 2.0, *y as f32 + height / 2.0);
                let distance = |(x, y): Point| {
                    let across = (x - middle.0).abs() - width / 2.0 + radius;
                    let down = (y - middle.1).abs() - height / 2.0 + radius;
                    across.max(0.0).hypot(down.max(0.0)) + across.max(down).min(0.0) - radius
                };
                self.fill(middle, width.max(height) / 2.0, distance, |_| *fill);
            }
            Shape::Line { from, to, width, stroke } => {
                self.stroke(at(&from.0, &from.1), at(&to.0, &to.1), *width as f32, *stroke);
            }
            Shape::Disc { x, y, radius, color } => {
                let (middle, radius) = (at(x, y), *radius as f32);
                let Shade { light, dark, reach } = Shade::of(*color);
                let width = 2.0 * radius / 100.0;
                let [x, y] = Shade::AT.map(|percent| percent as f32 * width - radius);
                let source = (middle.0 + x, middle.1 + y);
                let shade = |point: Point| {
                    let share = (away(point, source) / (reach as f32 * width)).min(1.0);
                    mixed(light, dark, share)
                };
                self.fill(middle, radius, |point| away(point, middle) - radius, shade);
            }
            Shape::Dot { x, y, radius, fill } => {
                let (middle, radius) = (at(x, y), *radius as f32);
                self.fill(middle, radius, |point| away(point, middle) - radius, |_| *fill);
            }
            Shape::Ring { x, y, radius, width, stroke } => {
                let (middle, radius, half) = (at(x, y), *radius as f32, *width as f32 / 2.0);
                let distance = |point| (away(point, middle) - radius).abs() - half;
                self.fill(middle, radius + half, distance, |_| *stroke);
            }
            Shape::Text { x, y, size, fill, text } => {
                let unit = 0.072 * *size as f32;
                let glyphs = text.chars().count() as f32;
                let left = *x as f32 - unit * (glyphs * ADVANCE - (ADVANCE - WIDTH)) / 2.0;
                let top = *y as f32 - unit * HEIGHT / 2.0;
                for (index, glyph) in text.chars().enumerate() {
                    let left = left + unit * ADVANCE * index as f32;
                    let place = |&(x, y): &Point| (left + unit * x, top + unit * y);
                    for pair in strokes(glyph).iter().flat_map(|stroke| stroke.windows(2)) {
                        self.stroke(place(&pair[0]), place(&pair[1]), 1.25 * unit, *fill);
                    }
                }
            }
        }
    }

    /// A line with round ends.
    fn stroke(&mut self, from: Point, to: Point, width: f32, color: Rgb) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(f32::EPSILON);
        let distance = |(x, y): Point| {
            let share = (((x - from.0) * dx + (y - from.1) * dy) / (length * length)).clamp(0.0, 1.0);
            away((x, y), (from.0 + share * dx, from.1 + share * dy)) - width / 2.0
        };
        let middle = (from.0 + dx / 2.0, from.1 + dy / 2.0);
        self.fill(middle, (length + width) / 2.0, distance, |_| color);
    }

    /// Paints where `distance` from the edge is negative; `reach` from the middle is all that there is.
    fn fill(
        &mut self,
        middle: Point,
        reach: f32,
        distance: impl Fn(Point) -> f32,
        color: impl Fn(Point) -> Rgb,
    ) {
        let range = |middle: f32| {
            let [low, high] = [middle - reach - 1.0, middle + reach + 2.0];
            low.max(0.0) as usize..(high.max(0.0) as usize).min(self.size)
        };
        let (columns, rows) = (range(middle.0), range(middle.1));
        for row in rows {
            for column in columns.clone() {
                let point = (column as f32 + 0.5, row as f32 + 0.5);
                let covered = (0.5 - distance(point)).clamp(0.0, 1.0);
                if covered > 0.0 {
                    let pixel = &mut self.pixels[row * self.size + column];
                    *pixel = mixed(*pixel, color(point), covered);
                }
            }
        }
    }
}

fn away(from: Point, to: Point) -> f32 {
    (from.0 - to.0).hypot(from.1 - to.1)
}

/// `share` of the second colour, the rest of the first.
fn mixed(first: Rgb, second: Rgb, share: f32) -> Rgb {
    std::array::from_fn(|index| {
        let [first, second] = [first[index], second[index]].map(f32::from);
        (first + share * (second - first)).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::super::drawing::{Mark, SIZE};
    use super::*;
    use crate::board::Position;

    /// The side and the pixels of a file.
    fn pixels(file: &[u8]) -> (u32, Vec<Rgb>) {
        let mut rest = file.strip_prefix(b"\x89PNG\r\n\x1a\n").expect("the signature");
        let (mut chunks, number) = (Vec::new(), |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap()));
        while !rest.is_empty() {
            let (length, after) = rest.split_at(4);
            let (named, after) = after.split_at(4 + number(length) as usize);
            let (sum, after) = after.split_at(4);
            assert_eq!(number(sum), crc32fast::hash(named));
            chunks.push(named);
            rest = after;
        }
        let [head, packed, end] = chunks[..] else { panic!("{} chunks", chunks.len()) };
        assert_eq!((&head[..4], &head[12..], end), (&b"IHDR"[..], &[8, 2, 0, 0, 0][..], &b"IEND"[..]));
        let size = number(&head[4..8]);
        assert_eq!(size, number(&head[8..12]));
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(&packed[4..]).read_to_end(&mut bytes).unwrap();
        let mut pixels: Vec<Rgb> = Vec::new();
        for line in bytes.chunks(1 + 3 * size as usize) {
            assert_eq!((line[0], line.len()), (1, 1 + 3 * size as usize));
            let mut left = [0u8; 3];
            for parts in line[1..].chunks(3) {
                left = std::array::from_fn(|index| left[index].wrapping_add(parts[index]));
                pixels.push(left);
            }
        }
        (size, pixels)
    }

    #[test]
    fn discs_grid_and_marks_are_where_they_belong() {
        let marks = vec![("d3".parse().unwrap(), Mark::Best), ("e4".parse().unwrap(), Mark::Last)];
        let file = Picture { position: Position::START, marks, has_border: true }.png();
        assert!(file.len() < 50_000, "{} bytes", file.len());
        let (size, pixels) = pixels(&file);
        assert_eq!(size, SIZE);
        let at = |x: u32, y: u32| pixels[(y * size + x) as usize];
        assert_eq!(at(94, 94), [0x2e, 0x8b, 0x57], "a1 is empty");
        assert!(at(394, 394).iter().all(|&part| part > 0xcf), "d4 is white: {:?}", at(394, 394));
        assert!(at(394, 494).iter().all(|&part| part < 0x53), "d5 is black: {:?}", at(394, 494));
        assert_eq!(at(494, 394), [0xe5, 0x48, 0x4d], "the last move");
        assert_eq!(at(394 + 30, 294), [0xff, 0xd8, 0x4d], "the best move's ring");
        assert_eq!(at(394, 294), [0x2e, 0x8b, 0x57], "within the ring");
        assert_eq!(at(144, 94), [0x1d, 0x6a, 0x3f], "a line of the grid");
        assert_eq!(at(2, 444), [0x23, 0x36, 0x2c], "the frame");
    }

    #[test]
    fn every_sign_of_a_picture_has_strokes_within_its_place() {
        for glyph in ('a'..='h').chain('0'..='9') {
            assert!(!strokes(glyph).is_empty(), "{glyph}");
            for &(x, y) in strokes(glyph).iter().copied().flatten() {
                let lowest = if glyph == 'g' { 13.0 } else { HEIGHT };
                assert!((0.0..=WIDTH).contains(&x) && (0.0..=lowest).contains(&y), "{glyph}: {x} {y}");
            }
        }
    }
}
