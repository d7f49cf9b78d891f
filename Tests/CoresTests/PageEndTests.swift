import Cores
import Testing

/// Tests of unaligned and multiple-word accesses, within and across pages on the fast path.
struct PageEndTests {
  /// A page without access rights, directly after a page that the program uses.
  private static let closed: (UInt32, UInt32) = (0x2000_9000, 11 << 1 | 1)
  /// 64 KiB of RAM for privileged access only.
  private static let own: (UInt32, UInt32) = (0x2000_0000, 0x1100_0000 | 15 << 1 | 1)

  private static func faults(_ access: String, _ regions: [(UInt32, UInt32)]) throws -> ArmCore {
    let program = try Assembly(
      ProtectionTests.setUp([ProtectionTests.code] + regions, control: 5) + """
        ldr r3, =0x20008FF8
        ldr r7, [r3]
        str r7, [r3]
        \(access)
        bkpt 1
        """ + ProtectionTests.caught, handlers: [4: "memory"])
    #expect(program.core.run(until: 1000) == .breakpoint(2))
    return program.core
  }

  @Test(
    "an access that crosses into a page without access rights faults",
    arguments: [
      "ldr r7, [r3, #6]", "str r7, [r3, #6]", "ldrh r7, [r3, #7]", "strh r7, [r3, #7]",
      "ldm r3, {r5, r6, r7}", "stm r3, {r5, r6, r7}",
    ])
  func acrossTheEnd(_ access: String) throws {
    #expect(try Self.faults(access, [ProtectionTests.ram, Self.closed]).faults == 0x82)
  }

  @Test(
    "unaligned LDRT and STRT cannot access a privileged page on the fast path",
    arguments: ["ldrt r7, [r3, #1]", "strt r7, [r3, #1]", "ldrht r7, [r3, #1]"])
  func unprivileged(_ access: String) throws {
    #expect(try Self.faults(access, [Self.own]).faults == 0x82)
  }

  @Test("unaligned words and halfwords are transferred correctly within and across pages")
  func values() throws {
    let program = try Assembly(
      """
      ldr r3, =0x20008FF8
      ldr r2, =0x04030201
      ldr r4, =0x08070605
      stm r3, {r2, r4}
      str r2, [r3, #8]
      ldr r5, [r3, #1]
      ldrh r6, [r3, #3]
      ldr r7, [r3, #6]
      str r4, [r3, #7]
      ldr r8, [r3, #7]
      ldm r3, {r9, r10, r11}
      bkpt 1
      """)
    let core = program.core
    #expect(core.run(until: 1000) == .breakpoint(1))
    let expected: [Int: UInt32] = [
      5: 0x0504_0302, 6: 0x0504, 7: 0x0201_0807, 8: 0x0807_0605, 9: 0x0403_0201, 10: 0x0507_0605,
      11: 0x0408_0706,
    ]
    for (register, value) in expected { #expect(core[register: register] == value) }
  }
}
