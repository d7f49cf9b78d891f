import BluetoothLE

/// The table of a tag, and what stands behind each of its characteristics.
struct TagTable {
  /// What a characteristic is to the firmware.
  enum Role: Hashable {
    case data(Int), configuration(Int), period(Int), battery, keys, constant
  }

  private(set) var services: [GATTService] = []
  /// The roles of all characteristics in their order.
  private(set) var roles: [Role] = []

  /// Creates the table of a model, in the order of TI's firmware as far as its attribute dump shows it: the device name has the
  /// handle 0x03, device information begins at 0x0C, the first sensor at 0x1F.
  init(_ model: TagModel, serial: String) {
    add(
      BLEUUID(0x1800),
      [
        .init(BLEUUID(0x2A00), .read, value: Array(model.tableName.utf8)),
        .init(BLEUUID(0x2A01), .read, value: [0, 0]),
        // 80, 160, 0, 1000: interval, latency, supervision time.
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

  /// The device information: nine values.
  ///
  /// Revisions are those of firmware 1.20, which sends six bytes of pressure (an assumption
  /// but for that: it does so from 1.12 on).
  private static func information(_ model: TagModel, _ serial: String) -> [GATTCharacteristic] {
    func text(_ number: UInt16, _ text: String) -> GATTCharacteristic {
      .init(BLEUUID(number), .read, value: Array(text.utf8))
    }
    return [
      .init(BLEUUID(0x2A23), .read, value: [0, 0, 0, 0, 0, 0, 0, 0]),
      text(0x2A24, model.modelNumber), text(0x2A25, serial), text(0x2A26, "1.20"),
      text(0x2A27, "N.A."), text(0x2A28, "N.A."), text(0x2A29, "Texas Instruments"),
      .init(BLEUUID(0x2A2A), .read, value: [0xFE, 0x00] + Array("experimental".utf8)),
      // TI's number 13, of the Bluetooth SIG's list; product 0, version 0x0110.
      .init(BLEUUID(0x2A50), .read, value: [0x01, 0x0D, 0x00, 0x00, 0x00, 0x10, 0x01]),
    ]
  }

  /// The number of the characteristic with a role.
  func place(of role: Role) -> Int? { roles.firstIndex(of: role) }
}
