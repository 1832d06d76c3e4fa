class Emilia < Formula
  desc "Othello (Reversi) engine for NBoard, GoGui and scripts"
  homepage "https://example.org/emilia"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    depends_on arch: :arm64
    url "@URL@/emilia-@VERSION@-aarch64-macos.tar.xz"
    sha256 "@SHA256 aarch64-macos.tar.xz@"
  end

  on_linux do
    on_arm do
      url "@URL@/emilia-@VERSION@-aarch64-linux.tar.xz"
      sha256 "@SHA256 aarch64-linux.tar.xz@"
    end
    on_intel do
      url "@URL@/emilia-@VERSION@-x86_64-linux.tar.xz"
      sha256 "@SHA256 x86_64-linux.tar.xz@"
    end
  end

  def install
    bin.install "emilia"
    (lib/"emilia").install Dir["builds/*"]
    (share/"emilia").install "books/emilia.book"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/emilia.bash" => "emilia"
    fish_completion.install "completions/emilia.fish"
    zsh_completion.install "completions/_emilia"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/emilia version")
    position = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
    assert_match "\"move\":\"g8\"", pipe_output("#{bin}/emilia solve --json -", position)
  end
end
