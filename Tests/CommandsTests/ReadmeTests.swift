import Foundation
import TestSupport
import Testing

/// The rigs, links and length of the README.
struct ReadmeTests {
  private static let text: String = (try? Fixtures.text("README.md")) ?? ""

  /// The code blocks of a language.
  private static func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }

  @Test("each rig in the README is valid, runs, and meets its expectations")
  func rigs() throws {
    let rigs = Self.blocks("yaml")
    #expect(!rigs.isEmpty)
    for rig in rigs {
      try CommandLineTool.withFile(rig, suffix: ".yaml") { path in
        let result = try CommandLineTool.run("run", path)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("expectations met"))
      }
    }
  }

  @Test("the links and pictures of the README lead to files of the repository")
  func links() {
    let links = Self.text.matches(of: /\]\((?<path>[^)#:]+)\)/).map { String($0.path) }
    #expect(links.count > 10)
    for link in links { #expect(FileManager.default.fileExists(atPath: link), "\(link)") }
  }

  @Test("the README is short enough to be read in ten minutes")
  func length() {
    #expect(Self.text.split(separator: "\n", omittingEmptySubsequences: false).count < 150)
  }

  @Test(
    "the page of limitations names each supported microcontroller and excludes none"
  )
  func notPage() throws {
    let page = try Fixtures.text("Sources/aneroid/aneroid.docc/WhatAneroidIsNot.md")
    let help = try CommandLineTool.run("firmware", "--help").output.lowercased()
    for name in [
      "nRF52832", "nRF52840", "STM32F411", "STM32F401", "STM32F405", "RP2040", "ATmega328P",
    ] {
      #expect(help.contains(name.lowercased()) && page.contains(name), "\(name)")
    }
    #expect(!page.contains("no image runs on a bench") && !page.contains("microcontrollers, yet"))
  }
}
