import Foundation
import TestSupport
import Testing

/// A rig may name any file: contents of unrelated files are not printed, and no file is written
/// elsewhere.
struct ForeignFileTests {
  static let secrets = [
    "opensesame:$6$hush:19000:0:99999:7:::\nhush:x:1\n", "word\n- opensesame\nhush",
    "opensesame,hush\n1,hush\n", "opensesame: hush\na: hush\na: opensesame\n",
    "{\"opensesame\":\"hush\"}\n", "opensesame: {hush: 1\n", "- opensesame: hush\n",
    "*opensesame\n", "%opensesame hush\n", "opensesame: *hush\n", "chip: opensesame: hush\n",
    "device: opensesame\nhush: x\n",
  ]

  static let rigs = [
    "devices: [{address: 0x76, model: bme280, calibration: SECRET}]}]",
    "trace: SECRET}]",
    """
    devices: [{address: 0x76, model: bme280, calibration: PART}]}]
    environment: {series: {file: SECRET, time: opensesam, columns: {pressure: {name: hus, unit: hPa},
      temperature: {name: hush, unit: C}, humidity: {name: h, unit: "%"}}}}
    """,
  ]

  @Test(
    "an error about a file of the wrong kind never quotes the file's contents", arguments: secrets)
  func quoted(_ secret: String) throws {
    try CommandLineTool.withFile(secret, suffix: "") { path in
      for kind in Self.rigs {
        // A table whose header contains one of the names is accepted as a table.
        if kind.contains("series"), secret.hasPrefix("opensesame,hush") { continue }
        let part = Fixtures.root.appending(path: "fixtures/calibrations/xft.yaml").path
        let text =
          "name: x\nduration: 1h\nbuses: [{number: 1, \(kind)\npipeline: {}\n"
          .replacing("SECRET", with: path).replacing("PART", with: part)
        try CommandLineTool.withFile(text) { rig in
          for command in [["run", rig], ["rig", "check", rig], ["read", "--bus", "rig:\(rig)"]] {
            let result = try CommandLineTool.run(CommandLineTool.path, command)
            let said = result.output + result.errors
            #expect(result.status == 65, "\(said)")
            #expect(!said.contains("opensesame") && !said.contains("hush'"), "\(said)")
          }
        }
      }
    }
  }

  @Test("an endless file is read up to the limit of its kind")
  func endless() throws {
    for kind in Self.rigs.prefix(2) {
      let text =
        "name: x\nbuses: [{number: 1, \(kind)\n".replacing("SECRET", with: "/dev/zero")
      try CommandLineTool.withFile(text) { rig in
        let result = try CommandLineTool.run("rig", "check", rig)
        #expect(result.status == 65, "\(result.output)")
      }
    }
  }

  @Test("a history file outside the rig's folder requires --allow-write, even through a link")
  func history() throws {
    let prepare = """
      mkdir other; ln -s ../other/kept rigs/link; ln -s $PWD/rigs rigs2; ln -s ../rigs/inside.yaml fixtures/linked.yaml
      for name in inside link ../other/kept $PWD/other/kept; do
        sed "s|^pipeline:|pipeline:\\n  history: $name|" rigs/thesis.yaml > rigs/$(basename $name).yaml
        \(Self.run("run rigs/$(basename $name).yaml"))
        \(Self.run("run rigs/$(basename $name).yaml --allow-write"))
        ls other; rm -f other/*
      done
      """
    try OutputCommandTests.inFolder(prepare + "\n" + Self.run("run rigs2/inside.yaml")) {
      result, folder in
      #expect(
        result.outputLines == [
          "0", "0", "64", "0", "kept", "64", "0", "kept", "64", "0", "kept", "0",
        ], "\(result.output)")
      #expect(result.errors.contains("--allow-write permits it"))
    }
  }

  private static func run(_ command: String) -> String { "$tool \(command) >/dev/null; echo $?" }
}
