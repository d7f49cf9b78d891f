import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Bounds how long a client may take over a request, and closes the connection of a client of HTTP/1.0 behind its answer.
///
/// The time runs over a whole head and a whole body: a byte every few seconds does not begin it anew.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// How long a head may take from the connection on, how long a body may take behind its head, and how long a connection
  /// is kept from an answer to the end of the next head.
  struct Times {
    var head = TimeAmount.seconds(20)
    var body = TimeAmount.seconds(20)
    var idle = TimeAmount.seconds(75)
  }

  private let times: Times
  private var deadline: Scheduled<Void>?
  /// How many requests have been read, and not answered to the last byte.
  private var underWay = 0

  init(_ times: Times = Times()) { self.times = times }

  func handlerAdded(context: ChannelHandlerContext) {
    // HTTP's version is known in front of the codec alone.
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
    // The answer takes the time that it takes.
    case .end: deadline?.cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else {
      return context.write(data, promise: promise)
    }
    // A client may read slowly: it is idle when it has all of the answer.
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

/// Treats a request of HTTP/1.0 as one that asks for the connection to be closed, as its clients take the end of it for the end of
/// the answer (RFC 9112, section 9.3).
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
