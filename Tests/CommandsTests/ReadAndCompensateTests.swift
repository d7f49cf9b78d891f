import Foundation
import TestSupport
import Testing

/// `aneroid read` and `aneroid compensate`.
struct ReadAndCompensateTests {
  static let bus = "rig:rigs/weather-station.yaml"

  @Test("all formats of a reading contain the same values")
  func forms() throws {
    func read(_ format: String) throws -> [String] {
      let result = try CommandLineTool.run(
        "read", "--bus", Self.bus, "--count", "3", "--every", "1s", "--format", format)
      #expect(result.status == 0)
      return result.outputLines
    }
    let lines = try read("jsonl")
    #expect(lines.count == 3)
    let json = try read("json")
    #expect(json == ["{\"readings\":[\(lines.joined(separator: ","))]}"])
    let csv = try read("csv")
    #expect(
      csv.first
        == "t,bus,address,temperature_c,pressure_pa,humidity_rh,adc_T,adc_P,adc_H,outside_specification"
    )
    for (row, line) in zip(csv.dropFirst(), lines) {
      for field in row.split(separator: ",") { #expect(line.contains(":\(field)")) }
    }
    let text = try read("text")
    #expect(text.count == 3)
    #expect(text[0].contains("hPa"))
    #expect(text[0].contains("0x76 on bus 1"))
  }

  @Test("readings of a real adapter are in the output file when a signal ends the command")
  func signal() throws {
    let result = try VirtualBusBench.shell(
      """
      file=$(mktemp); \(CommandLineTool.path.path) read --bus /dev/i2c-1 --count 9 --every 1h >$file & reader=$!
      for i in $(seq 1000); do [ -s $file ] && break; sleep 0.02; done
      kill $reader; wait $reader; echo $?; grep -c hPa $file; rm $file
      """)
    #expect(result.output == "143\n1\n", "\(result.errors)")
  }

  @Test("the second chip of a bus is read by its address")
  func address() throws {
    let result = try CommandLineTool.run(
      "read", "--bus", "rig:rigs/many-sensors.yaml#1", "--address", "0x77", "--format", "jsonl")
    #expect(result.status == 0)
    #expect(result.output.contains("\"address\":119"))
    #expect(!result.output.contains("humidity_rh"))
  }

  @Test("after the end of the weather data the last values are kept, with one notice")
  func pastTheEnd() throws {
    let result = try CommandLineTool.run(
      "read", "--bus", Self.bus, "--count", "5", "--every", "20h", "--format", "csv")
    #expect(result.status == 0)
    #expect(result.outputLines.count == 6)
    #expect(
      result.errors == "aneroid: rigs/weather-station.yaml: the weather data end after 48 h; "
        + "the last values are kept from then on\n")
  }

  /// The rows of the vectors: their fields by column.
  static func vectors() throws -> [[Substring: Substring]] {
    let lines = try Fixtures.text("fixtures/compensation/vectors.csv").split(separator: "\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
  }

  @Test(
    "'compensate' gives the reference results for every test vector",
    arguments: [
      ("datasheet-int64", "ds_tf", "ds_T", "ds_P64u32", "ds_H", "Q"),
      ("datasheet-int32", "ds_tf", "ds_T", "ds_P32", "ds_H", "P"),
      ("bosch-int64", "ai_tf", "ai_T", "ai64_P", "ai_H", "Q"),
      ("bosch-int32", "ai_tf", "ai_T", "ai32_P", "ai_H", "P"),
    ])
  func table(
    _ variant: String, _ fine: Substring, _ temperature: Substring, _ pressure: Substring,
    _ humidity: Substring, _ overflow: Character
  ) throws {
    let vectors = try Self.vectors()
    let rows = vectors.map { row in
      [row["id"], row["calib_88_A1_hex"].map { $0 + (row["calib_E1_E7_hex"] ?? "") }]
        .compactMap { $0 } + ["adc_T", "adc_P", "adc_H"].compactMap { row[$0] }
    }
    let input =
      "id,calib,adc_T,adc_P,adc_H\n"
      + rows.map { $0.joined(separator: ",") + "\n" }.joined()
    let result = try CommandLineTool.run("compensate", "--variant", variant, input: input)
    #expect(result.status == 0)
    let lines = result.outputLines
    #expect(lines.first == "id,calib,adc_T,adc_P,adc_H,t_fine,temperature,pressure,humidity")
    #expect(lines.count == vectors.count + 1)
    for (line, vector) in zip(lines.dropFirst(), vectors) {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      let flags = vector["overflow"] ?? ""
      #expect(fields[5] == vector[fine] ?? "?")
      #expect(fields[6] == vector[temperature] ?? "?")
      if !flags.contains(overflow) { #expect(fields[7] == vector[pressure] ?? "?", "\(line)") }
      if !flags.contains("H") { #expect(fields[8] == vector[humidity] ?? "?", "\(line)") }
    }
  }

  static let calibration = "106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b6e01001305001e"

  @Test("'compensate' supports SI units, a BMP280, an empty humidity, and quoted fields")
  func units() throws {
    let input = """
      note,adc_H,calib,adc_P,adc_T
      "one, ""two\""",31350,\(Self.calibration),304428,526700
      ,,\(Self.calibration),304428,526700
      bmp,,\(Self.calibration.prefix(48)),304428,526700

      """
    let result = try CommandLineTool.run("compensate", "--units", "si", input: input)
    #expect(result.status == 0)
    let ends = result.outputLines.dropFirst().map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).suffix(4).joined(separator: ",")
    }
    #expect(
      ends == [
        "121449,23.72,100942.6953125,65.3056640625", "121449,23.72,100942.6953125,",
        "121449,23.72,100942.6953125,",
      ])
    #expect(result.outputLines[1].hasPrefix("\"one, \"\"two\"\"\",31350,"))
  }

  @Test(
    "for an invalid row the error gives the line, the status is 65, and earlier rows are written",
    arguments: [
      ("526700", "1048576", "70: error: adc_T: '1048576' is not a whole number from 0 to 1048575"),
      ("304428", "-1", "77: error: adc_P: '-1' is not a whole number"),
      ("31350", "65536", "84: error: adc_H: '65536' is not a whole number from 0 to 65535"),
      ("526700", "", "70: error: adc_T: '' is not a whole number"),
      (
        "6e01001305001e", "6e01001305001",
        "3: error: calib has 65 digits; a BME280 takes 66, a BMP280 48"
      ),
      ("6e01001305001e", "6e01001305001g", "3: error: calib: 'g' is not a hexadecimal digit"),
      (",31350", "", " error: the row has 4 fields, the header 5"),
    ])
  func badRow(_ old: String, _ new: String, _ message: String) throws {
    let row = "1,\(Self.calibration),526700,304428,31350\n"
    let bad = row.replacingOccurrences(of: old, with: new)
    let result = try CommandLineTool.run(
      "compensate", input: "id,calib,adc_T,adc_P,adc_H\n" + row + row + bad + row)
    #expect(result.status == 65)
    #expect(result.outputLines.count == 3)
    #expect(result.errors.hasPrefix("aneroid: standard input:4:\(message)"), "\(result.errors)")
  }

  @Test("a table for a BMP280 needs no adc_H; semicolons and hexadecimal codes are accepted")
  func tableForms() throws {
    let row = "\(Self.calibration.prefix(48)),526700,304428"
    let expected = "121449,23.72,100942.6953125,"
    let bare = try CommandLineTool.run(
      "compensate", "--units", "si", input: "calib,adc_T,adc_P\n\(row)\n")
    #expect(bare.status == 0, "\(bare)")
    #expect(bare.outputLines.last == "\(row),\(expected)")
    let semicolons = try CommandLineTool.run(
      "compensate", "--units", "si",
      input: "calib;note;adc_T;adc_P;adc_H\n\(Self.calibration);a,b;0x8096C;0X4A52C;0x7a76\n")
    #expect(semicolons.status == 0, "\(semicolons)")
    #expect(
      semicolons.outputLines == [
        "calib;note;adc_T;adc_P;adc_H;t_fine;temperature;pressure;humidity",
        "\(Self.calibration);a,b;0x8096C;0X4A52C;0x7a76;121449;23.72;100942.6953125;65.3056640625",
      ])
    let long = try CommandLineTool.run(
      "compensate", input: "calib,adc_T,adc_P\n\(Self.calibration),0x100000,0x1\n")
    #expect(long.status == 65)
    #expect(long.errors.contains("adc_T: '0x100000' is not a whole number from 0 to 1048575"))
  }

  @Test("a missing column, an empty table and a missing file are errors")
  func badTable() throws {
    let missing = try CommandLineTool.run("compensate", input: "calib,adc_t,adc_P,adc_H\n")
    #expect(missing.status == 65)
    #expect(
      missing.errors.hasPrefix(
        "aneroid: standard input:1: error: no column 'adc_T'; did you mean 'adc_t'?"))
    let empty = try CommandLineTool.run("compensate")
    #expect(empty.status == 65)
    #expect(empty.output.isEmpty)
    let absent = try CommandLineTool.run("compensate", "--input", "nowhere.csv")
    #expect(absent.status == 66)
    #expect(absent.errors == "aneroid: nowhere.csv: no such file\n")
  }
}
