//! The engine in a page, so that the page values side lines: out of `emilia.html`, the page for browsers.

use crate::util::refusal::Refusal;

/// How the script of a page asks the engine, the same as in the page for browsers.
const SCRIPT: &str = include_str!("../web/page/engine.js");

/// The parts of `emilia.html` that bring the engine into a page.
///
/// # Errors
/// The fault, when the text is no such page or is of another version of the program.
pub fn engine_of(page: &str) -> Result<String, Refusal> {
    let begin = |id: &str| format!("<script type=\"text/plain\" id=\"{id}\"");
    let element = |id: &str| {
        let element = &page[page.find(&begin(id))?..];
        Some(&element[..element.find("</script>")? + "</script>".len()])
    };
    let (Some(worker), Some(engine)) = (element("worker"), element("engine")) else {
        return Err(
            "expected emilia.html, the page for browsers: no engine is in this file".into(),
        );
    };
    let version = env!("CARGO_PKG_VERSION");
    if !engine.starts_with(&format!("{} data-version=\"{version}\"", begin("engine"))) {
        return Err(format!(
            "its engine is not of version {version}: take emilia.html of this version"
        )
        .into());
    }
    Ok(format!(
        "{worker}\n{engine}\n<script>\n{}</script>\n",
        SCRIPT.replace("\nexport ", "\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_is_taken_out_of_the_page_for_browsers() {
        let page = |version: &str| {
            let [worker, engine] = [
                "worker\">work()",
                &format!("engine\" data-version=\"{version}\">H4sI"),
            ]
            .map(|rest| format!("<script type=\"text/plain\" id=\"{rest}</script>\n"));
            format!("<html>{worker}{engine}<script>page()</script></html>")
        };
        let found = engine_of(&page(env!("CARGO_PKG_VERSION"))).unwrap();
        assert!(
            found.contains(">work()</script>") && found.contains(">H4sI</script>"),
            "{found}"
        );
        assert!(
            found.contains("\nclass Engine") && !found.contains("page()"),
            "{found}"
        );
        assert!(
            engine_of(&page("0.0.1"))
                .unwrap_err()
                .contains("not of version")
        );
        assert!(
            engine_of("<html></html>")
                .unwrap_err()
                .contains("expected emilia.html")
        );
    }
}
