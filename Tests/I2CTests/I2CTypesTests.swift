import I2C
import Testing

/// The values defined by the Linux ABI and the wire.
struct I2CTypesTests {
  @Test("the default functionality is 0x0eff0009")
  func defaultFunctionality() {
    #expect(I2CFunctionality.standard.rawValue == 0x0EFF_0009)
    #expect(I2CFunctionality.standard.union(.smbusReadBlock).rawValue == 0x0FFF_0009)
    #expect(!I2CFunctionality.standard.contains(.tenBitAddresses))
  }

  @Test("addresses are right-aligned and at most ten bits")
  func addresses() {
    #expect(I2CAddress(rawValue: 0x3FF)?.isSevenBit == false)
    #expect(I2CAddress(rawValue: 0x400) == nil)
    #expect(I2CAddress(rawValue: 0x76)?.isSevenBit == true)
    #expect(I2CAddress(integerLiteral: 0x76) < 0x77)
    #expect(I2CAddress(integerLiteral: 0x76).description == "0x76")
    #expect(I2CAddress(integerLiteral: 0x03).description == "0x03")
  }

  @Test(
    "errno values are those of Linux",
    arguments: [
      (I2CErrno.eio, 5, "EIO"), (.enxio, 6, "ENXIO"), (.eagain, 11, "EAGAIN"),
      (.ebusy, 16, "EBUSY"), (.enodev, 19, "ENODEV"), (.einval, 22, "EINVAL"),
      (.eopnotsupp, 95, "EOPNOTSUPP"), (.etimedout, 110, "ETIMEDOUT"),
      (.eremoteio, 121, "EREMOTEIO"),
    ] as [(I2CErrno, Int32, String)])
  func errnoValues(_ errno: I2CErrno, _ value: Int32, _ name: String) {
    #expect(errno.rawValue == value)
    #expect(errno.description == name)
  }

  @Test("an unknown errno is printed as its number")
  func unknownErrno() {
    #expect(I2CErrno(rawValue: 42).description == "errno 42")
  }

  @Test("the description of an error contains the indices of the message and the byte")
  func errorDescriptions() {
    let address = I2CError(.addressNack, message: 1, errno: .enxio)
    #expect(address.description == "address not acknowledged (message 1, ENXIO)")
    let data = I2CError(.dataNack, message: 0, byte: 3, errno: .eremoteio)
    #expect(data.description == "data byte not acknowledged (message 0, byte 3, EREMOTEIO)")
    #expect(Set(I2CError.Kind.allCases.map { "\($0.name)" }).count == 8)
    #expect(Set(I2CError.Kind.allCases.map(\.description)).count == 8)
  }
}
