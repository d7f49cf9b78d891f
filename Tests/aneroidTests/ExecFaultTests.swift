import Testing

/// Failures that are planned for a program on the command line.
struct ExecFaultTests {
  @Test("a planned fault meets the program, and is told at the end")
  func fires() throws {
    let flipped = try VirtualBusBench.shell(
      "i2cget -y 1 0x76 0xd0; i2cget -y 1 0x76 0xd0",
      options: ["--fault", "kind: bit-flip, register: 0xD0, mask: 2"])
    #expect(flipped.output == "0x62\n0x60\n")
    #expect(flipped.errors == "aneroid: fault bit-flip on bus 1 fired 1 of 1 times\n")
    let late = try VirtualBusBench.shell(
      "i2cget -y 1 0x76 0xd0", options: ["--fault", "kind: nack-address, at: 1h"])
    #expect(late.errors.contains("fault nack-address on bus 1 fired 0 of 1 times"))
  }

  @Test("a mistake in a planned fault is 78 and named")
  func mistake() throws {
    let result = try VirtualBusBench.shell("true", options: ["--fault", "kind: bit-flop"])
    #expect(result.status == 78)
    #expect(result.errors.contains("'bit-flop'") && result.errors.contains("bit-flip"))
    let part = try VirtualBusBench.shell("true", options: ["--fault", "kind: nack"])
    #expect(part.errors.contains("; did you mean 'nack-address' or 'nack-data'?"), "\(part.errors)")
  }
}
