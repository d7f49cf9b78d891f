public import BluetoothLE

/// Which SensorTag it is.
public enum TagModel: String, Hashable, Sendable, CaseIterable {
  /// The SensorTag of 2015: an HDC1000 and a BMP280.
  case cc2650
  /// The SensorTag of 2012: an SHT21.
  case cc2541

  /// The name in its scan response, where a passive scanner never sees it.
  public var advertisedName: String { self == .cc2650 ? "CC2650 SensorTag" : "SensorTag" }

  /// The name in its table.
  public var tableName: String { self == .cc2650 ? "SensorTag 2.0" : "TI BLE Sensor Tag" }

  /// What its device information says it is; the CC2541's says nothing (an assumption).
  public var modelNumber: String { self == .cc2650 ? "CC2650 SensorTag" : "N.A." }

  /// An identifier of TI's own, F000xxxx-0451-4000-B000-000000000000.
  public static func identifier(_ number: UInt16) -> BLEUUID {
    BLEUUID(high: 0xF000_0000_0451_4000 | UInt64(number) << 32, low: 0xB000_0000_0000_0000)
  }

  /// What it advertises: flags, the movement service of the CC2650, TI's number and the keys that are pressed.
  public func advertising(keys: UInt8 = 0) -> BLEAdvertising {
    var elements = [BLEAdvertisingData.Element(0x01, [0x06])]
    if self == .cc2650 {
      elements += [.init(0x02, [0x80, 0xAA]), .init(0xFF, [0x0D, 0x00, keys])]
    }
    let response = BLEAdvertisingData([
      .init(0x09, Array(advertisedName.utf8)),
      // 80 and 160 steps of 1.25 ms: the preferred interval of connections.
      .init(0x12, [0x50, 0x00, 0xA0, 0x00]),
      .init(0x0A, [0x00]),
    ])
    return BLEAdvertising(
      data: BLEAdvertisingData(elements).bytes, scanResponse: response.bytes,
      interval: 100_000_000)
  }

  /// The sensors' services: their numbers, and by how much data, configuration and period lie behind them.
  struct Layout {
    let number: UInt16
    let data: UInt16, configuration: UInt16, period: UInt16
  }

  var layouts: [Layout] {
    func plain(_ number: UInt16) -> Layout {
      Layout(number: number, data: 1, configuration: 2, period: 3)
    }
    let pressure = Layout(number: 0xAA40, data: 1, configuration: 2, period: 4)
    return self == .cc2541
      ? [plain(0xAA20)] : [plain(0xAA00), plain(0xAA20), pressure, plain(0xAA70), plain(0xAA80)]
  }
}
