import FoundationEssentials
import Hummingbird
import NIOCore

/// What is known of a request beyond its bytes: who sent it.
struct StationContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let sender: SocketAddress?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    sender = source.channel.remoteAddress
  }
}
