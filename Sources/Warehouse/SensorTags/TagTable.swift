public import BluetoothLE

/// The attribute table of a tag, which also records the role of each characteristic.
struct TagTable {
  /// The role of a characteristic in the firmware.
  enum Role: Hashable {
    case data(Int), configuration(Int), period(Int), battery, keys, constant
  }

  private(set) var services: [GATTService] = []
  /// The roles of all characteristics, in the order of the table.
  private(set) var roles: [Role] = []

  /// Creates the attribute table of a model in the order of TI's firmware, as far as TI's published
  /// attribute dump lists it.
  ///
  /// The device name has handle 0x03, the device information service starts at 0x0C, and the first
  /// sensor service at 0x1F.
  init(_ model: TagModel, serial: String) {
    add(
      BLEUUID(0x1800),
      [
        .init(BLEUUID(0x2A00), .read, value: Array(model.tableName.utf8)),
        .init(BLEUUID(0x2A01), .read, value: [0, 0]),
        // The values 80, 160, 0 and 1000 are the minimum and maximum interval, the latency and the
        // supervision timeout.
        .init(BLEUUID(0x2A04), .read, value: [0x50, 0, 0xA0, 0, 0, 0, 0xE8, 0x03]),
      ])
    add(BLEUUID(0x1801), [.init(BLEUUID(0x2A05), .indicate)])
    add(BLEUUID(0x180A), Self.information(model, serial))
    for (index, layout) in model.layouts.enumerated() {
      func characteristic(
        _ offset: UInt16, _ properties: GATTCharacteristic.Properties
      ) -> GATTCharacteristic {
        .init(TagModel.identifier(layout.number + offset), properties)
      }
      add(
        TagModel.identifier(layout.number),
        [
          characteristic(layout.data, [.read, .notify]),
          characteristic(layout.configuration, [.read, .write]),
          characteristic(layout.period, [.read, .write]),
        ], [.data(index), .configuration(index), .period(index)])
    }
    add(BLEUUID(0x180F), [.init(BLEUUID(0x2A19), [.read, .notify])], [.battery])
    add(BLEUUID(0xFFE0), [.init(BLEUUID(0xFFE1), .notify)], [.keys])
  }

  private mutating func add(
    _ uuid: BLEUUID, _ characteristics: [GATTCharacteristic], _ roles: [Role]? = nil
  ) {
    services.append(GATTService(uuid, characteristics))
    self.roles += roles ?? characteristics.map { _ in .constant }
  }

  /// Returns the nine characteristics of the device information service.
  ///
  /// The revisions are those of firmware 1.20, which sends six bytes of pressure data. Firmware has
  /// done so since 1.12; the exact revision is an assumption.
  private static func information(_ model: TagModel, _ serial: String) -> [GATTCharacteristic] {
    func text(_ number: UInt16, _ text: String) -> GATTCharacteristic {
      .init(BLEUUID(number), .read, value: Array(text.utf8))
    }
    return [
      .init(BLEUUID(0x2A23), .read, value: [0, 0, 0, 0, 0, 0, 0, 0]),
      text(0x2A24, model.modelNumber), text(0x2A25, serial), text(0x2A26, "1.20"),
      text(0x2A27, "N.A."), text(0x2A28, "N.A."), text(0x2A29, "Texas Instruments"),
      .init(BLEUUID(0x2A2A), .read, value: [0xFE, 0x00] + Array("experimental".utf8)),
      // TI has company number 13 in the list of the Bluetooth SIG; the product number is 0 and the
      // version 0x0110.
      .init(BLEUUID(0x2A50), .read, value: [0x01, 0x0D, 0x00, 0x00, 0x00, 0x10, 0x01]),
    ]
  }

  /// Returns the index of the characteristic that has a role; `nil` if the table has none.
  func place(of role: Role) -> Int? { roles.firstIndex(of: role) }
}

/// The model of a SensorTag.
public enum TagModel: String, Hashable, Sendable, CaseIterable {
  /// The SensorTag of 2015, with an HDC1000 and a BMP280.
  case cc2650
  /// The SensorTag of 2012, with an SHT21.
  case cc2541

  /// The name that the tag sends in its scan response, which a passive scanner does not receive.
  public var advertisedName: String { self == .cc2650 ? "CC2650 SensorTag" : "SensorTag" }

  /// The device name in the attribute table.
  public var tableName: String { self == .cc2650 ? "SensorTag 2.0" : "TI BLE Sensor Tag" }

  /// The model number in the device information.
  ///
  /// For the CC2541 it is "N.A." (an assumption).
  public var modelNumber: String { self == .cc2650 ? "CC2650 SensorTag" : "N.A." }

  /// Returns one of TI's UUIDs, F000xxxx-0451-4000-B000-000000000000.
  public static func identifier(_ number: UInt16) -> BLEUUID {
    BLEUUID(high: 0xF000_0000_0451_4000 | UInt64(number) << 32, low: 0xB000_0000_0000_0000)
  }

  /// Returns the advertising data: the flags and, for the CC2650 only, the movement service, TI's
  /// company identifier and the pressed keys.
  public func advertising(keys: UInt8 = 0) -> BLEAdvertising {
    var elements = [BLEAdvertisingData.Element(0x01, [0x06])]
    if self == .cc2650 {
      elements += [.init(0x02, [0x80, 0xAA]), .init(0xFF, [0x0D, 0x00, keys])]
    }
    let response = BLEAdvertisingData([
      .init(0x09, Array(advertisedName.utf8)),
      // The preferred connection interval is 80 to 160 steps of 1.25 ms.
      .init(0x12, [0x50, 0x00, 0xA0, 0x00]),
      .init(0x0A, [0x00]),
    ])
    return BLEAdvertising(
      data: BLEAdvertisingData(elements).bytes, scanResponse: response.bytes,
      interval: 100_000_000)
  }

  /// The layout of a sensor service: its number, and the offsets of the data, configuration and
  /// period characteristics.
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
