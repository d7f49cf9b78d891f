import Testing

/// What programs find that begin at once.
struct ExecPowerTests {
  @Test("a program that begins at once finds its sensors started", arguments: 1...10)
  func started(_ round: Int) throws {
    let result = try VirtualBusBench.exec(["i2cget", "-y", "1", "0x76", "0x88", "w"])
    #expect(result.output == "0x6e10\n")
  }

  @Test("a part that starts slowly shows it to programs too")
  func slow() throws {
    let rig = try ExecDriverTests.rig("unknown: {copy_time_power_on: 2s}")
    try CommandLineTool.withFile(rig) { rig in
      let script = "i2cget -y 1 0x76 0x88 w; sleep 3; i2cget -y 1 0x76 0x88 w"
      let result = try VirtualBusBench.shell(script, options: ["--rig", rig, "--clock", "virtual"])
      #expect(result.output == "0x0000\n0x6e10\n")
    }
  }
}
