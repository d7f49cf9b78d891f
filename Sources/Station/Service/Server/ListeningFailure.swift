import Glibc
import NIOCore

/// Why a station cannot listen where it should, and what to try.
package struct ListeningFailure: Error, CustomStringConvertible {
  package let description: String

  /// Says what an error of the network means to the one who starts a station.
  init(_ error: any Error) {
    switch error {
    case let error as IOError: description = Self.words(error.errnoCode)
    case is SocketAddressError.UnknownHost:
      description =
        "there is no machine of that name; name one of this machine's addresses, 127.0.0.1 for itself alone"
    default: description = "\(error)"
    }
  }

  private static func words(_ number: CInt) -> String {
    switch number {
    case EADDRINUSE:
      "another program listens there; end that one, or choose another port with --listen, 0 for any that is free"
    case EADDRNOTAVAIL:
      "this machine does not have that address; choose one that it has, 127.0.0.1 for itself alone"
    case EACCES: "this user may not listen at that port; choose one from 1024 on"
    default: String(cString: strerror(number))
    }
  }
}
