import Foundation
import Parts
import Rigs
import Schema
import Support
import Testing

/// Former names of keys: older rigs are still accepted, with a note.
struct FormerNamesTests {
  static let names = [
    (former: "left", name: "initial_registers"), (former: "beside", name: "compare"),
  ]

  /// The sample with a used device, and a program to compare with.
  static func rig(_ registers: String, _ compared: String) throws -> Rig {
    let text = SampleRig.changed(
      "        model: bme280\n",
      to: "        model: bme280\n        \(registers): {ctrl_hum: 1, ctrl_meas: 0x27}\n"
    ).replacing("  cycle: 30min\n", with: "  cycle: 30min\n  \(compared): {defects: [pa-as-hpa]}\n")
    return try Rig(text: text, file: SampleRig.file)
  }

  @Test("a former name of a key has the same meaning, and a note gives the new name")
  func meaning() throws {
    let (before, now) = (
      try Self.rig("left", "beside"), try Self.rig("initial_registers", "compare")
    )
    #expect(before.buses.first?.devices.first?.part.wasUsed == true)
    #expect(now.buses.first?.devices.first?.part.wasUsed == true)
    #expect(before.pipeline?.comparedProgram != nil)
    #expect(now.pipeline?.comparedProgram != nil)
    #expect(now.notes == [])
    #expect(before.notes.count == 2)
    for (note, names) in zip(before.notes, Self.names) {
      #expect(
        note.line.contains("'\(names.former)' is the former name of '\(names.name)'"), "\(note)")
    }
  }

  @Test("the former and the new name of a key in one section are an error")
  func both() {
    let text = SampleRig.changed(
      "        model: bme280\n",
      to:
        "        model: bme280\n        left: {config: 1}\n        initial_registers: {config: 2}\n"
    )
    #expect {
      try Rig(text: text, file: SampleRig.file)
    } throws: { error in
      "\(error)".contains("'initial_registers' is given twice, once by its former name 'left'")
    }
  }

  @Test("the JSON Schema contains former names and marks them as deprecated", arguments: names)
  func schema(_ former: String, _ name: String) {
    let schema = RigReference.schema
    #expect(schema.contains("\"\(former)\": {"))
    #expect(schema.contains("The former name of '\(name)'."))
    #expect(!RigReference.page.contains("\n| `\(former)` |"))
    #expect(RigReference.page.contains("\n| `\(name)` |"))
  }
}
