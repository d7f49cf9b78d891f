import Foundation
import TestSupport
import Testing

/// The Automat behind /dev/i2c-N, and the pages that the catalogue makes.
struct AutomatProgramTests {
  @Test("a program behind the Automat gets 18 bytes, and past them the errno of its silence")
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

  @Test("a read longer than the board's limit is heard")
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
        result.output.contains("24 bytes are read at once over an adapter that reads 18 at most"))
      #expect(result.status == 1)
    }
  }

  @Test("the page of the catalogue is that of the program")
  func page() throws {
    let page = try CommandLineTool.run("diagnose", "--catalogue")
    #expect(page.status == 0)
    #expect(
      page.output
        == (try Fixtures.text("Sources/Chips/BME280/Defects/DriverDefects.docc/Catalogue.md")))
  }

  @Test("three defects at once, as in the thesis, are named from one capture and two numbers")
  func thesis() throws {
    let result = try DiagnoseTests.diagnose(
      "bmp-bosch-decode", "--temperature", "23.07C", "--pressure", "1443.34hPa")
    #expect(result.status == 1)
    #expect(result.output.hasSuffix("found: B06, B10, B19\n"))
  }

  @Test(
    "the doctor tells a board that is far from one that is silent and from one that is flat",
    arguments: [
      ("outages: [{at: 0s, for: 1h}]", "out of range: go nearer"),
      ("silences: [{at: 0s, for: 1h}]", "near, and not advertising"),
      ("battery_life: 1ms", "its battery is flat"),
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
      // The other address of a sensor: the board tells a missing acknowledgement by silence, and nothing has failed.
      #expect(!result.output.contains("timed out"), "\(result)")
      #expect(
        result.output.contains("0x77: nobody answers behind the board")
          == words.contains("connected"), "\(result)")
    }
  }

  @Test(
    "the doctor says flat of a board whose battery is empty at the start, and names who stands there"
  )
  func flatAndRelatives() throws {
    func told(_ bus: String) throws -> String {
      try CommandLineTool.withFile("name: doctor\nbuses: [{number: 1, \(bus)}]\n") { path in
        try CommandLineTool.run("doctor", "--bus", "rig:\(path)").output
      }
    }
    let flat = try told(
      "bridge: {kind: automat, power: {charge: 0}}, devices: [{address: 0x76, model: bme280}]")
    #expect(flat.contains("its battery is flat: charge it"), "\(flat)")
    for (model, words) in [("bmp085", "a BMP085 answers"), ("bmp180", "a BMP180 answers")] {
      let text = try told("devices: [{address: 0x77, model: \(model)}]")
      #expect(text.contains("0x77: \(words)"), "\(text)")
    }
  }

  @Test("a word that names no bus is told so, with the nearest rig and what lists them")
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
