import Glibc

/// A board whose identifying files are visible to programs; some libraries require a known board before they use its
/// bus.
public enum Board: String, Hashable, Sendable, CaseIterable {
  case raspberryPi4 = "raspberry-pi-4"
  case raspberryPi5 = "raspberry-pi-5"
  case raspberryPiZero2 = "raspberry-pi-zero-2"

  /// The model name from the firmware.
  var model: String {
    switch self {
    case .raspberryPi4: "Raspberry Pi 4 Model B Rev 1.1"
    case .raspberryPi5: "Raspberry Pi 5 Model B Rev 1.0"
    case .raspberryPiZero2: "Raspberry Pi Zero 2 W Rev 1.0"
    }
  }

  /// The `compatible` strings in the device tree: that of the board, then that of its chip.
  var compatible: [String] {
    switch self {
    case .raspberryPi4: ["raspberrypi,4-model-b", "brcm,bcm2711"]
    case .raspberryPi5: ["raspberrypi,5-model-b", "brcm,bcm2712"]
    case .raspberryPiZero2: ["raspberrypi,model-zero-2-w", "brcm,bcm2837"]
    }
  }

  /// The revision code, with bit fields for memory, manufacturer, processor, type and revision.
  var revision: UInt32 {
    switch self {
    case .raspberryPi4: 0xC0_3111
    case .raspberryPi5: 0xC0_4170
    case .raspberryPiZero2: 0x90_2120
    }
  }

  /// The part number of the board's ARM cores, which are Cortex-A72, A76 or A53.
  private var core: String {
    switch self {
    case .raspberryPi4: "0xd08"
    case .raspberryPi5: "0xd0b"
    case .raspberryPiZero2: "0xd03"
    }
  }

  /// The address ranges of the board's peripherals as device tree cells; empty if no library reads them.
  private var ranges: [UInt32] {
    switch self {
    case .raspberryPi4: [0x7E00_0000, 0, 0xFE00_0000, 0x0180_0000]
    case .raspberryPi5: []
    case .raspberryPiZero2: [0x7E00_0000, 0x3F00_0000, 0x0100_0000]
    }
  }

  private static let serial = "10000000a4e201d0"

  /// The content of /proc/cpuinfo.
  var processors: String {
    let revision = String(revision, radix: 16)
    let cores = (0..<4).map { number in
      """
      processor\t: \(number)
      BogoMIPS\t: 108.00
      Features\t: fp asimd evtstrm crc32 cpuid
      CPU implementer\t: 0x41
      CPU architecture: 8
      CPU variant\t: 0x0
      CPU part\t: \(core)
      CPU revision\t: 3


      """
    }
    return cores.joined() + """
      Hardware\t: BCM2835
      Revision\t: \(revision)
      Serial\t\t: \(Self.serial)
      Model\t\t: \(model)

      """
  }

  /// The files of the device tree by relative path; texts end with a zero byte, numbers are big-endian.
  var deviceTree: [(path: String, bytes: [UInt8])] {
    func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
    func cells(_ cells: [UInt32]) -> [UInt8] {
      cells.flatMap { cell in withUnsafeBytes(of: cell.bigEndian) { Array($0) } }
    }
    var files = [
      ("model", text(model)), ("compatible", compatible.flatMap(text)),
      ("serial-number", text(Self.serial)), ("name", [0]), ("#address-cells", cells([2])),
      ("#size-cells", cells([1])), ("system/linux,revision", cells([revision])),
      ("system/linux,serial", cells([0x1000_0000, 0xA4E2_01D0])),
    ]
    if !ranges.isEmpty { files.append(("soc/ranges", cells(ranges))) }
    return files
  }
}

extension SyntheticTree {
  /// Adds the files by which programs detect a board.
  mutating func add(_ board: Board) {
    for folder in ["/proc", "/sys/firmware"] {
      add(folder, .folder(isShared: true), isShared: true)
    }
    write(board.processors, "/proc/cpuinfo")
    let base = "/sys/firmware/devicetree/base"
    for file in board.deviceTree { add("\(base)/\(file.path)", .file(file.bytes)) }
    add("/proc/device-tree", .link(base))
  }

  /// Substrings that occur in the paths of the files by which programs detect a board.
  static let wordsOfBoards = ["cpuinfo", "device-tree", "devicetree"]

  /// Returns `true` for the path of a file by which libraries detect a board.
  static func isOfBoard(_ path: String) -> Bool {
    path == "/proc/cpuinfo" || path.hasPrefix("/proc/device-tree")
      || path.hasPrefix("/sys/firmware/devicetree")
  }
}

/// An interface other than I2C through which a program may look for its sensor, with what the bench has instead.
enum OtherInterface: String, CaseIterable {
  case spi = "SPI is not simulated; if the part also has I2C, read it there"
  case gpio =
    "GPIO is not simulated; --board provides only the files that identify a board"
  case memory =
    "the registers of a board's processor are not simulated; use a library that opens /dev/i2c-N"
  case kernelDriver =
    "the bench has no drivers of the kernel; aneroid serve offers a bus to a kernel that has them"
  case oneWire = "1-Wire is not simulated"

  /// A substring of each path of the interface.
  var word: String {
    switch self {
    case .spi: "dev/spidev"
    case .gpio: "gpio"
    case .memory: "dev/mem"
    case .kernelDriver: "bus/iio"
    case .oneWire: "bus/w1"
    }
  }

  /// Returns `true` for a path of the interface.
  func includes(_ path: String) -> Bool {
    switch self {
    case .spi: path.hasPrefix("/dev/spidev")
    case .gpio:
      path.hasPrefix("/dev/gpiochip") || path.hasPrefix("/dev/gpiomem")
        || path.hasPrefix("/dev/pigpio") || path.hasPrefix("/sys/class/gpio")
    case .memory: path == "/dev/mem"
    case .kernelDriver: path.hasPrefix("/sys/bus/iio/devices") || path.hasPrefix("/dev/iio:")
    case .oneWire: path.hasPrefix("/sys/bus/w1/devices")
    }
  }

  /// Returns `true` if this machine has what a path of the interface names, so that a program finds it.
  func isOnThisMachine(_ path: String) -> Bool {
    switch self {
    case .kernelDriver: access("/sys/bus/iio/devices/iio:device0", F_OK) == 0
    default: access(path, F_OK) == 0
    }
  }
}
