import Foundation
import TestSupport
import Testing

/// Hostile text in rigs, file names, traces, captures and program output is only displayed, and
/// never interpreted by a
/// terminal or a build service.
struct HostileNamesTests {
  /// A text that ends a line, starts commands of build services, moves the cursor, sets colours and
  /// the window title, and changes the writing direction.
  static let hostile =
    "x\n::error::h\n  ::group::h\r##[error]h\u{1B}[31m\u{1B}[2J\u{1B}]0;t\u{7}\u{8}\u{202E}abc\u{2066}\u{2028}\u{85}\u{9B}2J\u{7F}"

  /// The same text in YAML and JSON.
  static let quoted =
    #""x\n::error::h\n  ::group::h\r##[error]h\u001b[31m\u001b[2J\u001b]0;t\u0007\u0008\u202eabc\u2066\u2028\u0085\u009b2J\u007f""#

  /// Files with hostile names and content in a temporary folder.
  final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String, _ content: String) throws -> String {
      let file = "\(path)/\(name)"
      try content.write(toFile: file, atomically: false, encoding: .utf8)
      return file
    }
  }

  /// A rig with hostile text wherever text is possible.
  static func rig(in folder: Folder) throws -> String {
    let part = try Fixtures.text("fixtures/calibrations/xft.yaml")
      .replacing(/device: [^\n]*/, with: "device: \(quoted)")
    let calibration = try folder.file("part.yaml", part)
    // A comment cannot contain control characters or line breaks.
    let comment = String(
      String.UnicodeScalarView(
        hostile.unicodeScalars.filter {
          $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{2028}"
        }))
    return """
      # A summary \(comment)
      # ::error::h
      name: \(quoted)
      duration: 2h
      buses:
        - number: 1
          devices: [{address: 0x76, model: bme280, calibration: \(calibration)}]
      pipeline: {samples: 1, cycle: 10min, forecast: thesis}
      notify:
        - {on: forecast-change, run: [echo, \(quoted)]}
      expect:
        - {that: pressure, within: 1Pa, of: 900hPa}
      """
  }

  /// Fails for control sequences, and for commands to a service that are not ours.
  static func check(
    _ text: String, _ what: String, isFile: Bool = false,
    location: SourceLocation = #_sourceLocation
  ) {
    let isObeyed: (Unicode.Scalar) -> Bool = {
      $0.value < 0x20 && $0 != "\n" && $0 != "\t" || (0x7F...0x9F).contains($0.value)
        || [0x2028, 0x2029, 0x200E, 0x200F, 0x61C].contains($0.value)
        || (0x202A...0x202E).contains($0.value)
        || (0x2066...0x2069).contains($0.value)
    }
    let found = text.unicodeScalars.first(where: isObeyed)
    #expect(found == nil, "\(what): \(text.debugDescription)", sourceLocation: location)
    for line in text.split(separator: "\n") {
      let start = line.drop { $0 == " " || $0 == "\t" }
      #expect(
        !start.hasPrefix("::") || start.hasPrefix("::error file=")
          || start.hasPrefix("::error title=aneroid"),
        "\(what): \(line)", sourceLocation: location)
      #expect(isFile || !line.contains("##["), "\(what): \(line)", sourceLocation: location)
    }
  }

  static func run(
    _ arguments: [String], input: String = "", location: SourceLocation = #_sourceLocation
  ) throws -> CommandLineTool.Result {
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      ["GITHUB_ACTIONS=true", CommandLineTool.path.path] + arguments, input: input)
    let what = arguments.joined(separator: " ").debugDescription
    check(result.output, what, location: location)
    check(result.errors, what, location: location)
    #expect(
      result.status != 70 && result.status < 128, "\(what): \(result.errors)",
      sourceLocation: location)
    return result
  }

  @Test("a run writes hostile text as plain text in every format and output file")
  func runs() throws {
    let folder = try Folder()
    let rig = try folder.file("\(Self.hostile).yaml", Self.rig(in: folder))
    let trace = "\(folder.path)/\(Self.hostile).i2ctrace"
    for format in ["text", "json", "jsonl"] {
      let result = try Self.run([
        "run", rig, "--format", format, "--junit", "\(folder.path)/j.xml", "--report",
        "\(folder.path)/p.html", "--trace", trace,
      ])
      #expect(result.status == 1)
      #expect(result.errors.contains("::error file="), "the service gets the expectation")
    }
    for name in ["j.xml", "p.html"] {
      Self.check(
        try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8), name, isFile: true)
    }
    _ = try Self.run(["run", rig, "--against", "trace:\(trace)"])
    _ = try Self.run(["run", rig, "--against", "trace:\(folder.path)/no\(Self.hostile)"])
    _ = try Self.run(["read", "--bus", "rig:\(rig)#\(Self.hostile)"])
    _ = try Self.run(["doctor", "--bus", "rig:\(rig)"])
    _ = try Self.run(["doctor", "--bus", Self.hostile])
    let name = try Self.run([
      "exec", "--rig", rig, "--log", "--", "cat", "/sys/class/i2c-dev/i2c-1/name",
    ])
    #expect(name.outputLines.count == 1 && name.output.hasPrefix("aneroid x"), "\(name.output)")
    _ = try Self.run(["exec", "--fault", Self.hostile, "--", "true"])
    _ = try Self.run(["exec", "--", "/nowhere/\(Self.hostile)"])
  }

  @Test("errors about missing or invalid files print hostile text as plain text")
  func mistakes() throws {
    let folder = try Folder()
    let texts = [
      "\(Self.quoted): 1", "name: \(Self.quoted)\nclock: \(Self.quoted)\n\(Self.quoted): x",
      "? [\(Self.quoted)]\n: 1",
      "\(Self.quoted): 1\n\(Self.quoted): 2", Self.hostile, "a: &a 1\nb: *\(Self.hostile)",
      "buses: [{number: \(Self.quoted)}]",
      "name: n\nbuses: [{number: 1, devices: [{address: 0x76, model: bme280, calibration: \(Self.quoted)}]}]",
    ]
    for (index, text) in texts.enumerated() {
      let rig = try folder.file("\(index)\(Self.hostile).yaml", text)
      for arguments in [["rig", "check"], ["run"], ["exec", "--rig"]] {
        let result = try Self.run(
          arguments + [rig] + (arguments[0] == "exec" ? ["--", "true"] : []))
        #expect(result.status != 0)
      }
      for arguments in [
        ["score"], ["trace", "check"], ["trace", "show"], ["diagnose"], ["recording", "verify"],
        ["compensate", "--input"],
      ] {
        #expect(try Self.run(arguments + [rig]).status != 0)
      }
    }
    for arguments in [
      ["run", "--\(Self.hostile)"], [Self.hostile],
      ["read", "--bus", "x", "--every", Self.hostile],
      ["audit", "--scenario", Self.hostile, "--", "true"],
      ["audit", "--match", Self.hostile, "--", "true"],
      ["audit", "--json", Self.hostile, "--", "true"], ["watch", Self.hostile],
      ["read", "--bus", Self.hostile],
      ["diagnose", "x", "--pressure", Self.hostile], ["exec", "--map", Self.hostile, "--", "true"],
    ] {
      #expect(try Self.run(arguments).status != 0)
    }
  }

  @Test("hostile text in notes, names and lines of traces and captures is printed as plain text")
  func traces() throws {
    let folder = try Folder()
    let header =
      #"{"i2ctrace":1,"generator":\#(Self.quoted),"clock":\#(Self.quoted),"note":\#(Self.quoted),"buses":[{"number":1}]}"#
    let good = try folder.file(
      "\(Self.hostile).i2ctrace",
      header + "\n" + #"{"t":1,"d":1,"a":"0x76","m":[{"w":"d0"},{"r":"60"}]}"# + "\n")
    let bad = try folder.file(
      "bad\(Self.hostile).i2ctrace",
      header + "\n"
        + #"{"t":1,"d":1,"a":\#(Self.quoted),"m":[{"w":\#(Self.quoted)}],"e":{"kind":\#(Self.quoted)}}"#
        + "\n")
    for trace in [good, bad] {
      for arguments in [
        ["trace", "show"], ["trace", "check"], ["diagnose"], ["trace", "export", "--to", "csv"],
        ["trace", "export", "--to", "vcd"], ["trace", "export", "--to", "i2ctransfer"],
      ] {
        _ = try Self.run(arguments + [trace])
      }
      _ = try Self.run(["trace", "diff", good, trace])
      _ = try Self.run(["read", "--bus", "trace:\(trace)"])
      _ = try Self.run(["exec", "--bus", "trace:\(trace)", "--", "true"])
      _ = try Self.run(["diagnose", good, "--observed", trace])
      _ = try Self.run(["diagnose", good, "--format", "json"])
    }
    let line = Self.hostile.replacing("\n", with: "")
    let captures = [
      ("i2c-tools", "$ i2cget -y 1 \(line) 0xd0\n0x60\n"),
      ("ftrace", "a-1 [0] 1.0: i2c_read: i2c-1 #0 a=076 f=0001 l=\(line)\n"),
      (
        "saleae",
        "name,type,start_time,duration,\"ack\",\"address\",\"read\",\"data\"\nI2C,\"\(line)\",0.1,0.1,,,,\n"
      ),
      ("sigrok", "0-1 i2c-1: \(line)\n"),
      ("vcd", "$var wire 1 \(line) SCL $end\n$timescale \(line) $end\n\(line)\n"),
      ("bus-pirate", "[0xEC+\(line)]\n"), ("periph", "{Addr: \(line), W: []byte{\(line)}},\n"),
    ]
    for (kind, text) in captures {
      let capture = try folder.file("\(kind)\(Self.hostile)", text)
      _ = try Self.run(["trace", "import", "--from", kind, capture, "--samplerate", "1e6"])
      _ = try Self.run([
        "trace", "import", "--from", kind, capture, "-o", "/nowhere/\(Self.hostile)",
      ])
    }
  }

  @Test("hostile text in the output and name of an audited program is printed as plain text")
  func audits() throws {
    let folder = try Folder()
    let program = try folder.file(
      "p\(Self.hostile).sh", "printf '%s\\n' \"$1\"; printf '%s\\n' \"$1\" >&2; exit 3\n")
    for format in ["text", "json", "markdown"] {
      let result = try Self.run([
        "audit", "--scenario", "calm", "--csv", "temperature_c=1", "--format", format, "--junit",
        "\(folder.path)/j.xml", "--markdown", "\(folder.path)/m.md", "--", "/bin/sh", program,
        Self.hostile,
      ])
      #expect(result.status != 0)
    }
    for name in ["j.xml", "m.md"]
    where FileManager.default.fileExists(atPath: "\(folder.path)/\(name)") {
      Self.check(
        try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8), name, isFile: true)
    }
    _ = try Self.run(["audit", "--baseline", program, "--", "true"])
    _ = try Self.run(["audit", "--scenario", "calm", "--", "/bin/sh", program, Self.hostile])
  }

  @Test("hostile text in a watch's recording and sensor name is printed as plain text")
  func recordings() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/aneroid", withIntermediateDirectories: true)
    _ = try folder.file(
      "aneroid/recording",
      "# aneroid recording of \(Self.hostile.replacing("\n", with: ""))\n\(Self.hostile)\n")
    for arguments in [["show"], ["export", "\(folder.path)/\(Self.hostile).csv"], ["discard"]] {
      let result = try CommandLineTool.run(
        URL(filePath: "/usr/bin/env"),
        ["XDG_STATE_HOME=\(folder.path)", CommandLineTool.path.path, "recording"] + arguments)
      Self.check(result.output, "\(arguments)")
      Self.check(result.errors, "\(arguments)")
    }
  }
}
