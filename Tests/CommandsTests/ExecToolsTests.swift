import Foundation
import TestSupport
import Testing

/// Debian's i2c-tools and the shell on a virtual bus.
struct ExecToolsTests {
  typealias User = VirtualBusBench.User

  @Test("i2cdetect shows 0x76 and no other address", arguments: User.allCases)
  func detect(_ user: User) throws {
    let result = try VirtualBusBench.exec(["i2cdetect", "-y", "1"], as: user)
    #expect(result.status == 0)
    #expect(result.outputLines.last == "70: -- -- -- -- -- -- 76 --                         ")
    #expect(result.output.components(separatedBy: "--").count == 112)
    #expect(result.errors.isEmpty)
  }

  @Test("i2cdetect lists the bus with its name and functionality", arguments: User.allCases)
  func list(_ user: User) throws {
    let list = try VirtualBusBench.exec(
      ["i2cdetect", "-l"], options: ["--rig", "rigs/many-sensors.yaml"], as: user)
    #expect(list.status == 0)
    #expect(list.outputLines.allSatisfy { $0.contains("aneroid many-sensors bus") })
    #expect(list.outputLines.count > 1)
    let functions = try VirtualBusBench.exec(["i2cdetect", "-F", "1"], as: user)
    #expect(functions.output.contains("I2C                              yes"))
    #expect(functions.output.contains("SMBus Block Read                 no"))
  }

  @Test(
    "i2cget, i2cset, i2cdump and i2ctransfer read and write registers",
    arguments: [
      ("i2cget -y 1 0x76 0xd0", "0x60"),
      ("i2cget -y 1 0x76 0x88 w", "0x6e10"),
      ("i2cget -y 1 0x76 0x88 i 4", "0x10 0x6e 0x6c 0x66"),
      ("i2cset -y 1 0x76 0xf2 0x03 && i2cget -y 1 0x76 0xf2", "0x03"),
      ("i2ctransfer -y 1 w1@0x76 0xd0 r1", "0x60"),
      ("i2ctransfer -y 1 w2@0x76 0xf2 0x05 w1@0x76 0xf2 r1", "0x05"),
      (
        "i2cdump -y 1 0x76 b | sed -n 15p | cut -c1-51",
        "d0: 60 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
      ),
      ("i2cdump -y 1 0x76 i | sed -n 15p | cut -c1-6", "d0: 60"),
    ])
  func registers(_ script: String, _ output: String) throws {
    let result = try VirtualBusBench.shell(script)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.trimmingCharacters(in: .whitespacesAndNewlines) == output)
  }

  @Test("without a device at the address i2cget fails as on hardware")
  func nack() throws {
    let result = try VirtualBusBench.exec(["i2cget", "-y", "1", "0x77", "0xd0"])
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("Error: Read failed\n"), "\(result)")
  }

  @Test("a bound address is busy and shown as UU")
  func bound() throws {
    let text = try Fixtures.text("rigs/weather-station.yaml")
      .replacingOccurrences(of: "- address: 0x76", with: "- bound: true\n        address: 0x76")
      .replacingOccurrences(of: "../", with: Fixtures.root.path + "/")
    #expect(text.contains("bound"))
    try CommandLineTool.withFile(text) { rig in
      let table = try VirtualBusBench.exec(["i2cdetect", "-y", "1"], options: ["--rig", rig])
      #expect(table.output.contains("70: -- -- -- -- -- -- UU --"))
      let busy = try VirtualBusBench.exec(
        ["i2cget", "-y", "1", "0x76", "0xd0"], options: ["--rig", rig])
      #expect(busy.status == 1)
      #expect(busy.errors.contains("Device or resource busy"))
      let forced = try VirtualBusBench.exec(
        ["i2cget", "-f", "-y", "1", "0x76", "0xd0"], options: ["--rig", rig])
      #expect(forced.output == "0x60\n")
    }
  }

  @Test("the node can be found, listed and queried by any path", arguments: User.allCases)
  func looking(_ user: User) throws {
    let script = """
      set -e
      test -c /dev/i2c-1; test -r /dev/i2c-1; test -w /dev/../dev/./i2c-1; ! test -e /dev/i2c-9
      echo /dev/i2c-*
      stat -c '%F %t:%T' /dev/i2c-1
      ls -l /dev/i2c-1 | cut -c1-10
      cd /dev; ls | grep i2c; echo i2c*
      readlink -f i2c-1
      cat /sys/class/i2c-dev/i2c-1/name /sys/bus/i2c/devices/i2c-1/name
      ls /sys/class | grep -c i2c-dev
      """
    let result = try VirtualBusBench.shell(script, as: user)
    #expect(result.status == 0, "\(result.errors)")
    let name = "aneroid built-in bus 1"
    #expect(
      result.outputLines == [
        "/dev/i2c-1", "character special file 59:1", "crw-rw----", "i2c-1", "i2c-1", "/dev/i2c-1",
        name, name, "1",
      ])
  }

  @Test("Python finds the node and uses it without ioctl")
  func python() throws {
    let script = """
      import fcntl, glob, os, stat
      status = os.stat('/dev/i2c-1')
      assert stat.S_ISCHR(status.st_mode) and os.major(status.st_rdev) == 89
      assert glob.glob('/dev/i2c-*') == ['/dev/i2c-1'] and 'i2c-1' in os.listdir('/dev')
      assert [entry.name for entry in os.scandir('/sys/class/i2c-dev')] == ['i2c-1']
      bus = open('/dev/i2c-1', 'r+b', buffering=0)
      assert os.fstat(bus.fileno()).st_rdev == status.st_rdev
      fcntl.ioctl(bus, 0x0703, 0x76)
      bus.write(bytes([0x88])); assert bus.read(2).hex() == '106e'
      copy = os.dup(bus.fileno()); bus.close()
      os.write(copy, bytes([0xD0])); print(os.read(copy, 1).hex())
      """
    let result = try VirtualBusBench.exec(["/usr/bin/python3", "-c", script])
    #expect(result.errors.isEmpty)
    #expect(result.output == "60\n")
  }

  @Test("with --fast, a node can be opened by its path, but is not visible otherwise")
  func fast() throws {
    let result = try VirtualBusBench.shell(
      "i2cget -y 1 0x76 0xd0; test -e /dev/i2c-1 || echo unseen", options: ["--fast"])
    #expect(result.output == "0x60\nunseen\n")
  }

  @Test("--number and --map change the number of a bus")
  func numbers() throws {
    let one = try VirtualBusBench.shell("i2cget -y 7 0x76 0xd0", options: ["--number", "7"])
    #expect(one.output == "0x60\n")
    let several = try VirtualBusBench.shell(
      "i2cget -y 9 0x76 0xd0; echo /dev/i2c-*",
      options: ["--rig", "rigs/many-sensors.yaml", "--map", "1=9"])
    #expect(several.output.hasPrefix("0x60\n"))
    #expect(several.output.contains("/dev/i2c-9"))
    #expect(!several.output.contains("/dev/i2c-1 "))
  }
}
