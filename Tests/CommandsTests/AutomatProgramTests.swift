import Foundation
import TestSupport
import Testing

/// The Automat board on /dev/i2c-N, and the generated page of the catalogue.
struct AutomatProgramTests {
  @Test("a program on the Automat can read 18 bytes; a longer read returns the errno of a timeout")
  func errno() throws {
    let rig = try Fixtures.text("rigs/thesis-jacket.yaml")
      .replacing("../", with: Fixtures.root.path + "/")
    try CommandLineTool.withFile(rig) { file in
      let options = ["--rig", file, "--clock", "virtual"]
      let short = try VirtualBusBench.shell(
        "i2ctransfer -y 1 w1@0x76 0x88 r18 | wc -w", options: options)
      #expect(short.output == "18\n")
      let long = try VirtualBusBench.shell("i2ctransfer -y 1 w1@0x76 0x88 r24", options: options)
      #expect(long.errors.contains("Connection timed out"))
    }
  }

  @Test("'diagnose' reports a read longer than the board's limit")
  func tooLong() throws {
    try TraceTests.withFiles(1) { paths in
      let rig = try Fixtures.text("rigs/thesis-jacket.yaml")
        .replacing("../", with: Fixtures.root.path + "/")
      try CommandLineTool.withFile(rig) { file in
        _ = try VirtualBusBench.shell(
          "i2ctransfer -y 1 w1@0x76 0x88 r24",
          options: ["--rig", file, "--clock", "virtual", "--trace", paths[0]])
      }
      let result = try CommandLineTool.run("diagnose", paths[0])
      #expect(
        result.output.contains("24 bytes are read at once over an adapter with a limit of 18"))
      #expect(result.status == 1)
    }
  }

  @Test("the documented catalogue of defects equals the output of 'diagnose --catalogue'")
  func page() throws {
    let page = try CommandLineTool.run("diagnose", "--catalogue")
    #expect(page.status == 0)
    #expect(
      page.output
        == (try Fixtures.text("Sources/Chips/Diagnosis/Diagnosis.docc/Catalogue.md")))
  }

  @Test("'diagnose' names three simultaneous defects from one capture and two displayed values")
  func thesis() throws {
    let result = try DiagnoseTests.diagnose(
      "bmp-bosch-decode", "--temperature", "23.07C", "--pressure", "1443.34hPa")
    #expect(result.status == 1)
    #expect(result.output.hasSuffix("found: B06, B10, B19\n"))
  }

  @Test(
    "'doctor' distinguishes boards that are out of range, silent, or have a flat battery",
    arguments: [
      ("outages: [{at: 0s, for: 1h}]", "out of range: move closer"),
      ("silences: [{at: 0s, for: 1h}]", "near, but not advertising"),
      ("battery_life: 1ms", "the battery is flat"),
      ("interval: 30ms", "advertises and is connected, battery 100 %"),
    ])
  func doctor(_ bridge: String, _ words: String) throws {
    let rig = """
      name: board
      buses:
        - number: 1
          bridge: {kind: automat, \(bridge)}
          devices: [{address: 0x76, model: bme280}]
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try CommandLineTool.run("doctor", "--bus", "rig:\(path)")
      let told = result.outputLines.filter { $0.contains("board") }
      #expect(told.contains { $0.contains(words) }, "\(result)")
      #expect(result.output.contains("hPa") == words.contains("connected"), "\(result)")
      // The board stays silent after a NACK at the other address, and this is not a failure.
      #expect(!result.output.contains("timed out"), "\(result)")
      #expect(
        result.output.contains("0x77: no response from the device connected to the board")
          == words.contains("connected"), "\(result)")
    }
  }

  @Test(
    "'doctor' reports a battery that is flat at the start, and the type of each part"
  )
  func flatAndRelatives() throws {
    func told(_ bus: String) throws -> String {
      try CommandLineTool.withFile("name: doctor\nbuses: [{number: 1, \(bus)}]\n") { path in
        try CommandLineTool.run("doctor", "--bus", "rig:\(path)").output
      }
    }
    let flat = try told(
      "bridge: {kind: automat, power: {charge: 0}}, devices: [{address: 0x76, model: bme280}]")
    #expect(flat.contains("the battery is flat: charge or replace it"), "\(flat)")
    for (model, words) in [("bmp085", "a BMP085 responds"), ("bmp180", "a BMP180 responds")] {
      let text = try told("devices: [{address: 0x77, model: \(model)}]")
      #expect(text.contains("0x77: \(words)"), "\(text)")
    }
  }

  @Test("an unknown bus name is reported with the closest rig and the command that lists them")
  func unknown() throws {
    for command in [["watch"], ["read", "--bus"], ["doctor", "--bus"]] {
      let result = try CommandLineTool.run(CommandLineTool.path, command + ["iss-laek"])
      let told = result.errors + result.output
      #expect(result.status != 0 && told.contains("did you mean 'iss-leak'?"), "\(result)")
      #expect(told.contains("no built-in rig and no adapter has this name"), "\(result)")
      #expect(!told.contains("looked for"))
    }
  }
}
