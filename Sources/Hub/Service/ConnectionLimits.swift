import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Limits the duration of a request, and closes the connection of an HTTP/1.0 client after the
/// response.
///
/// The limit applies to a whole head and to a whole body; receiving single bytes does not restart
/// it.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The timeouts: for a head, measured from the start of the connection; for a body, measured from
  /// the end of its head; and for an idle connection, measured from the end of a response to the
  /// end of the next head.
  struct Times {
    var head = TimeAmount.seconds(20)
    var body = TimeAmount.seconds(20)
    var idle = TimeAmount.seconds(75)
  }

  private let times: Times
  private var deadline: Scheduled<Void>?
  /// The number of requests that were read but not completely answered.
  private var underWay = 0

  init(_ times: Times = Times()) { self.times = times }

  func handlerAdded(context: ChannelHandlerContext) {
    // The HTTP version is known only before the codec.
    let operations = context.pipeline.syncOperations
    if let decoder = try? operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) {
      try? operations.addHandler(FirstVersion(), position: .after(decoder))
    }
    if context.channel.isActive { close(context, in: times.head) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelActive(context: ChannelHandlerContext) {
    close(context, in: times.head)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      underWay += 1
      close(context, in: times.body)
    case .body: break
    // The time for producing a response is not limited.
    case .end: deadline?.cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else {
      return context.write(data, promise: promise)
    }
    // A client may read slowly, so the idle time starts when the client has the whole response.
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in
      let (limits, context) = box.value
      limits.underWay -= 1
      if limits.underWay <= 0, context.channel.isActive {
        limits.close(context, in: limits.times.idle)
      }
    }
    context.write(data, promise: written)
  }

  private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}

/// Adds `Connection: close` to HTTP/1.0 requests, because their clients take the end of the
/// connection as the end of the response (RFC 9112, section 9.3).
private final class FirstVersion: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0 else {
      return context.fireChannelRead(data)
    }
    head.headers.replaceOrAdd(name: "connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
