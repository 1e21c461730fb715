# SPDX-License-Identifier: BSD-3-Clause
# brew install --HEAD ./packaging/homebrew/rung.rb      with RUNG_SOURCE: a clone of the repository
class Rung < Formula
  desc "Ordinal regression with few labels"
  license "BSD-3-Clause"
  head ENV.fetch("RUNG_SOURCE", Dir.pwd), using: :git, branch: "main"

  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "cairo"
  depends_on "jansson"
  depends_on "libmicrohttpd"
  depends_on "openblas"
  depends_on "sqlite"

  uses_from_macos "zlib"

  on_macos do
    depends_on "libomp"
  end

  def install
    prefixes = [Formula["openblas"].opt_prefix]
    prefixes << Formula["libomp"].opt_prefix if OS.mac?
    ENV["CMAKE_PREFIX_PATH"] = prefixes.join(":")
    system "cmake", "-S", ".", "-B", "build", "-DBUILD_TESTING=OFF", "-DRUNG_MPI=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"rung", "generate", "toy", "-o", "toy.csv"
    system bin/"rung", "fit", "toy.csv", "-m", "kdlor", "-o", "toy.rung"
    assert_match "rank", shell_output("#{bin}/rung predict toy.rung toy.csv")
  end
end
