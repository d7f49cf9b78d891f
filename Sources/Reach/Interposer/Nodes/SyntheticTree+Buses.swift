import I2C
import Text

extension SyntheticTree {
  /// The device above all of our buses.
  private static let parent = "/sys/devices/platform/aneroid.i2c"

  /// Shows buses as Linux shows adapters with i2c-dev: nodes in /dev, devices in /sys, and the links
  /// by which programs find them.
  init(_ buses: [InterposedBus]) {
    self.init()
    for folder in [
      "/dev", "/sys/class", "/sys/bus", "/sys/dev/char", "/sys/devices/platform",
    ] {
      add(folder, .folder(isShared: true), isShared: true)
    }
    add("\(Self.parent)/uevent", .file(Array("MODALIAS=platform:aneroid.i2c\n".utf8)))
    for folder in ["/sys/class/i2c-dev", "/sys/class/i2c-adapter", "/sys/bus/i2c/drivers"] {
      add(folder, .folder(isShared: false))
    }
    for bus in buses { add(bus) }
  }

  private mutating func add(_ bus: InterposedBus) {
    let node = "i2c-\(bus.number)"
    let adapter = "\(Self.parent)/\(node)"
    let device = "\(adapter)/i2c-dev/\(node)"
    add("/dev/\(node)", .device(bus.number))

    write(bus.name + "\n", "\(adapter)/name")
    write("", "\(adapter)/uevent")
    add("\(adapter)/subsystem", .link("../../../../bus/i2c"))
    add("\(adapter)/device", .link("../../aneroid.i2c"))
    add("/sys/bus/i2c/devices/\(node)", .link("../../../devices/platform/aneroid.i2c/\(node)"))
    add("/sys/class/i2c-adapter/\(node)", .link("../../devices/platform/aneroid.i2c/\(node)"))

    write(bus.name + "\n", "\(device)/name")
    write("89:\(bus.number)\n", "\(device)/dev")
    write("MAJOR=89\nMINOR=\(bus.number)\nDEVNAME=\(node)\n", "\(device)/uevent")
    add("\(device)/subsystem", .link("../../../../../../class/i2c-dev"))
    add("\(device)/device", .link("../../../\(node)"))
    let place = "devices/platform/aneroid.i2c/\(node)/i2c-dev/\(node)"
    add("/sys/class/i2c-dev/\(node)", .link("../../\(place)"))
    add("/sys/dev/char/89:\(bus.number)", .link("../../\(place)"))

    for address in bus.node.boundAddresses {
      let name = "\(bus.number)-" + Hexadecimal.digits(address.rawValue, 4)
      let part = bus.boundNames[address] ?? "dummy"
      write("\(part)\n", "\(adapter)/\(name)/name")
      write("i2c:\(part)\n", "\(adapter)/\(name)/modalias")
      write("MODALIAS=i2c:\(part)\n", "\(adapter)/\(name)/uevent")
      add("\(adapter)/\(name)/subsystem", .link("../../../../../bus/i2c"))
      add(
        "/sys/bus/i2c/devices/\(name)",
        .link("../../../devices/platform/aneroid.i2c/\(node)/\(name)"))
    }
  }

  /// Adds a file with a text.
  mutating func write(_ text: String, _ path: String) { add(path, .file(Array(text.utf8))) }
}
