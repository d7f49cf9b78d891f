import Foundation
import TestSupport
import Testing

/// Unmodified libraries that require a board.
struct ExecBoardTests {
  static let boards = [
    ("raspberry-pi-4", "RASPBERRY_PI_4B", "Raspberry Pi 4 Model B", "c03111", "brcm,bcm2711"),
    ("raspberry-pi-5", "RASPBERRY_PI_5", "Raspberry Pi 5 Model B", "c04170", "brcm,bcm2712"),
    (
      "raspberry-pi-zero-2", "RASPBERRY_PI_ZERO_2_W", "Raspberry Pi Zero 2 W", "902120",
      "brcm,bcm2837"
    ),
  ]

  /// A script as in Adafruit's guides: their driver first returns the previous measurement.
  private static let guide = """
    import board, time
    from adafruit_bme280 import basic as adafruit_bme280
    sensor = adafruit_bme280.Adafruit_BME280_I2C(board.I2C(), address=0x76)
    for turn in range(3):
        pressure = sensor.pressure
        time.sleep(0.1)
    print(board.board_id, '%.0f' % pressure)
    """
  private static let packages = [
    "PYTHONPATH": ["adafruit", "gpiod"].map { "\(VirtualBusBench.peers)/drivers/\($0)" }
      .joined(separator: ":")
  ]

  @Test("a script of an Adafruit guide reads the sensor through board.I2C()", arguments: boards)
  func blinka(
    _ board: (option: String, id: String, model: String, revision: String, chip: String)
  ) throws {
    let result = try VirtualBusBench.exec(
      ["/usr/bin/python3", "-c", Self.guide], options: ["--board", board.option],
      environment: Self.packages)
    #expect(result.output == "\(board.id) 1013\n", "\(result.errors)")
  }

  @Test(
    "the first reading of a guide's script is the air temperature, as on a 100 kHz Raspberry Pi"
  )
  func firstReading() throws {
    let program = """
      import board
      from adafruit_bme280 import basic as adafruit_bme280
      sensor = adafruit_bme280.Adafruit_BME280_I2C(board.I2C(), address=0x76)
      print('%.1f' % sensor.temperature)
      """
    let result = try VirtualBusBench.exec(
      ["/usr/bin/python3", "-c", program], options: ["--board", "raspberry-pi-4"],
      environment: Self.packages)
    #expect(result.output == "21.0\n", "\(result.errors)")
  }

  @Test(
    "without --board, Adafruit Blinka rejects the machine, unless BLINKA_FORCEBOARD names a board")
  func forced() throws {
    let bare = try VirtualBusBench.exec(
      ["/usr/bin/python3", "-c", Self.guide], environment: Self.packages)
    #expect(bare.status != 0)
    #expect(bare.errors.contains("try --board raspberry-pi-4"), "\(bare.errors)")
    let words = ["BLINKA_FORCEBOARD": "RASPBERRY_PI_4B", "BLINKA_FORCECHIP": "BCM2XXX"]
    let forced = try VirtualBusBench.exec(
      ["/usr/bin/python3", "-c", Self.guide],
      environment: Self.packages.merging(words) { $1 })
    #expect(forced.output == "RASPBERRY_PI_4B 1013\n", "\(forced.errors)")
  }

  @Test(
    "--board is suggested only to a program that fails, opens no bus and reads board files",
    arguments: [
      ("cat /proc/cpuinfo >/dev/null; false", [], true),
      ("cat /proc/device-tree/model 2>/dev/null; false", [], true),
      ("cat /proc/cpuinfo >/dev/null", [], false),
      ("cat /etc/hostname >/dev/null; false", [], false),
      ("cat /proc/cpuinfo >/dev/null; i2cget -y 1 0x76 0xd0; false", [], false),
      ("cat /proc/cpuinfo >/dev/null; false", ["--board", "raspberry-pi-5"], false),
    ])
  func suggestion(_ script: String, _ options: [String], _ isSuggested: Bool) throws {
    let result = try VirtualBusBench.shell(script, options: options)
    #expect(result.errors.contains("try --board") == isSuggested, "\(result.errors)")
  }

  @Test("the files that --board provides can be copied, and exist below /proc/self/root")
  func copies() throws {
    let script = """
      folder=$(mktemp -d)
      cp /proc/cpuinfo "$folder/cpu" && cmp "$folder/cpu" /proc/self/root/proc/cpuinfo
      cp /proc/thread-self/root/proc/device-tree/model "$folder/model" && tr -d '\\0' <"$folder/model"
      ls /proc/self/root/sys/firmware/devicetree/base | wc -l
      rm -r "$folder"
      """
    let result = try VirtualBusBench.exec(
      ["/bin/sh", "-c", script], options: ["--board", "raspberry-pi-4"])
    #expect(
      result.outputLines == ["Raspberry Pi 4 Model B Rev 1.18"], "\(result.output)\(result.errors)")
    #expect(result.errors.isEmpty)
  }

  @Test("with --board, the files that wiringPi and shell scripts read exist", arguments: boards)
  func files(
    _ board: (option: String, id: String, model: String, revision: String, chip: String)
  ) throws {
    let script = """
      sed -n 's/^Hardware[[:space:]]*: //p; s/^Revision[[:space:]]*: //p' /proc/cpuinfo
      tr -d '\\0' </proc/device-tree/model | grep -o '^\(board.model)'
      tr '\\0' '\\n' </sys/firmware/devicetree/base/compatible | tail -n 1
      od -An -tx1 /proc/device-tree/system/linux,revision | tr -d ' \\n'; echo
      cd /proc/device-tree && ls -d model && cat model | wc -c; ls /proc | grep device-tree
      """
    let result = try VirtualBusBench.shell(script, options: ["--board", board.option])
    #expect(
      result.outputLines == [
        "BCM2835", board.revision, board.model, board.chip, "00" + board.revision, "model",
        "\(board.model.utf8.count + 9)", "device-tree",
      ], "\(result.errors)")
  }
}
