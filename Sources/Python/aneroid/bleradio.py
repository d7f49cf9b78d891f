"""A Bluetooth LE device of the bridge, in its central and peripheral roles."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import typing

if typing.TYPE_CHECKING:
    from .ble import Bridge

Line = typing.Dict[str, typing.Any]


class CommandError(Exception):
    """A failed command: an error word of the interface, and its details."""

    def __init__(self, error: str, **details: typing.Any) -> None:
        super().__init__(error)
        self.line: Line = {"error": error, **details}


#: Whether the current write is a write command, which has no response.
is_command: contextvars.ContextVar[bool] = contextvars.ContextVar("is_command", default=False)


class Radio:
    """A Bluetooth LE device in its central and peripheral roles."""

    def __init__(self, bridge: Bridge, number: int, device: typing.Any) -> None:
        self.bridge = bridge
        self.stack = bridge.stack
        self.number = number
        self.device = device
        self.links: typing.Dict[int, typing.Any] = {}
        self.characteristics: typing.List[typing.Any] = []
        self.requests: typing.Dict[int, asyncio.Future[Line]] = {}
        self.request_count = 0
        self.link_count = 0
        self.order: typing.Dict[typing.Any, asyncio.Lock] = {}
        #: The handles of subscription descriptors by peer address and characteristic handle. A
        #: reconnection does not discover them again.
        self.configurations: typing.Dict[typing.Tuple[str, int], int] = {}
        device.host.on("advertising_report", self.advertisement_received)
        device.on("connection", self.connected)
        server = device.gatt_server
        server.on("characteristic_subscription", self.subscription)
        self.protect()
        self.own_services = list(server.attributes), list(server.services)
        plain = server.on_att_write_command

        def write_command(bearer: typing.Any, request: typing.Any) -> None:
            token = is_command.set(True)
            plain(bearer, request)
            is_command.reset(token)

        server.on_att_write_command = write_command
        device.l2cap_channel_manager.register_fixed_channel(
            self.stack.att.ATT_CID, self.pdu_received
        )

    def report(self, event: str, **fields: typing.Any) -> None:
        """Writes an event of this radio."""
        self.bridge.send({"radio": self.number, "event": event, **fields})

    # Events of the device.

    def pdu_received(self, handle: int, pdu: bytes) -> None:
        """Handles a PDU of the attribute protocol.

        Bumble does not respond to a malformed request, and waits forever after a malformed
        response.
        """
        att, message = self.stack.att, None
        connection = self.device.lookup_connection(handle)
        if connection is None or not pdu:
            return
        with contextlib.suppress(Exception):
            message = att.ATT_PDU.from_bytes(pdu)
        client = connection.gatt_client
        if (
            pdu[0] in att.ATT_RESPONSES
            and client.pending_request is not None
            and not client.pending_response.done()
        ):
            expected = (client.pending_request.op_code + 1, att.Opcode.ATT_ERROR_RESPONSE)
            if message is None or pdu[0] not in expected:
                client.pending_response.set_exception(
                    CommandError("other", what="the response is invalid")
                )
                return
        if message is not None:
            # An exception would reach the sender's controller, which would then stop reporting free
            # buffers.
            with contextlib.suppress(Exception):
                self.device.on_gatt_pdu(handle, pdu)
        elif pdu[0] & 0x41 == 0 and pdu[0] != att.Opcode.ATT_HANDLE_VALUE_CONFIRMATION:
            # Requests have even opcodes. Commands (bit 6 is set) and confirmations have no
            # response.
            is_supported = pdu[0] in att.ATT_PDU.pdu_classes
            error_response = att.ATT_Error_Response(
                request_opcode_in_error=pdu[0],
                attribute_handle_in_error=0,
                error_code=(
                    att.ErrorCode.INVALID_PDU
                    if is_supported
                    else att.ErrorCode.REQUEST_NOT_SUPPORTED
                ),
            )
            self.device.gatt_server.send_response(connection, error_response)

    def advertisement_received(self, report: typing.Any) -> None:
        extended = self.stack.hci.HCI_LE_Extended_Advertising_Report_Event
        kind = int(report.event_type)
        if isinstance(report, extended.Report):
            connectable = bool(kind & extended.EventType.CONNECTABLE_ADVERTISING)
            response = bool(kind & extended.EventType.SCAN_RESPONSE)
        else:
            legacy = self.stack.hci.HCI_LE_Advertising_Report_Event.EventType
            connectable = kind in (int(legacy.ADV_IND), int(legacy.ADV_DIRECT_IND))
            response = kind == int(legacy.SCAN_RSP)
        self.report(
            "advertisement",
            address=str(report.address),
            rssi=report.rssi,
            connectable=connectable and not response,
            response=response,
            data=bytes(report.data).hex(),
        )

    def connected(self, connection: typing.Any) -> None:
        self.link_count += 1
        number = self.link_count
        connection.aneroid = number
        self.links[number] = connection

        def gone(reason: int) -> None:
            self.links.pop(number, None)
            self.order.pop(number, None)
            self.report("disconnected", connection=number, reason=int(reason))

        connection.on("disconnection", gone)
        if connection.role == self.stack.hci.Role.PERIPHERAL:
            connection.on(
                "connection_att_mtu_update",
                lambda: self.report("mtu", connection=number, mtu=connection.att_mtu),
            )
            self.report("connected", **self.description(connection))

    def description(self, connection: typing.Any) -> Line:
        """Returns the fields of a connection in events."""
        interval = getattr(connection.parameters, "connection_interval", 0) or 0
        return {
            "connection": connection.aneroid,
            "peer": str(connection.peer_address),
            "interval": round(interval * 1_000_000),
        }

    def subscription(
        self, connection: typing.Any, characteristic: typing.Any, notify: bool, indicate: bool
    ) -> None:
        if characteristic in self.characteristics:
            self.report(
                "subscribed",
                connection=connection.aneroid,
                characteristic=self.characteristics.index(characteristic),
                kind=1 if notify else 2 if indicate else 0,
            )

    def link(self, line: Line) -> typing.Any:
        """Returns the connection that a command names. Raises CommandError if it has ended."""
        connection = self.links.get(line["connection"])
        if connection is None:
            raise CommandError("disconnected")
        return connection

    # The central role.

    async def do_scan(self, line: Line) -> Line:
        if self.device.is_scanning:
            await self.device.stop_scanning()
        await self.device.start_scanning(active=line["active"], filter_duplicates=False)
        return {}

    async def do_stop_scan(self, line: Line) -> Line:
        if self.device.is_scanning:
            await self.device.stop_scanning()
        return {}

    async def do_connect(self, line: Line) -> Line:
        address = self.stack.hci.Address(line["address"])
        try:
            connection = await self.device.connect(address, timeout=line["timeout"])
        except (self.stack.core.TimeoutError, asyncio.TimeoutError) as error:
            raise CommandError("timeout") from error
        except self.stack.core.ConnectionError as error:
            # 0x09: connection limit exceeded.
            raise CommandError(
                "too-many" if error.error_code == 9 else "other", what=str(error)
            ) from error
        return self.description(connection)

    async def do_mtu(self, line: Line) -> Line:
        return {"mtu": await self.link(line).gatt_client.request_mtu(line["mtu"])}

    async def do_discover(self, line: Line) -> Line:
        client = self.link(line).gatt_client

        async def all_services() -> typing.Any:
            services = await client.discover_services()
            for service in services:
                await client.discover_characteristics([], service)
                for characteristic in service.characteristics:
                    await client.discover_descriptors(characteristic)
            return services

        # The timeout ends the discovery of an endless table.
        services = await asyncio.wait_for(all_services(), 120)
        for service in services:
            for one in service.characteristics:
                self.store_configuration(line, one)
        return {
            "services": [
                {
                    "uuid": formatted(service.uuid),
                    "handle": service.handle,
                    "characteristics": [
                        {
                            "uuid": formatted(one.uuid),
                            "handle": one.handle,
                            "properties": int(one.properties),
                        }
                        for one in service.characteristics
                    ],
                }
                for service in services
            ]
        }

    def store_configuration(self, line: Line, characteristic: typing.Any) -> None:
        """Stores the handle of a characteristic's subscription descriptor, or removes it."""
        kind = self.stack.gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR
        configuration = characteristic.get_descriptor(kind)
        key = str(self.link(line).peer_address), characteristic.handle
        if configuration is None:
            self.configurations.pop(key, None)
        else:
            self.configurations[key] = configuration.handle

    async def do_read(self, line: Line) -> Line:
        return {"value": bytes(await self.link(line).gatt_client.read_value(line["handle"])).hex()}

    async def do_write(self, line: Line) -> Line:
        client, value = self.link(line).gatt_client, bytes.fromhex(line["value"])
        if len(value) > client.mtu - 3:
            raise CommandError("too-long")
        await client.write_value(line["handle"], value, with_response=line["response"])
        return {}

    async def do_subscribe(self, line: Line) -> Line:
        connection, handle, kind = self.link(line), line["handle"], line["kind"]
        client = connection.gatt_client
        matches = [
            one
            for service in client.services
            for one in service.characteristics
            if one.handle == handle
        ]
        if matches and not matches[0].descriptors_discovered:
            await client.discover_descriptors(matches[0])
            self.store_configuration(line, matches[0])
        configuration = self.configurations.get((str(connection.peer_address), handle))
        if configuration is None:
            raise CommandError("refused", code=3) if matches else CommandError("nothing")

        def notified(value: bytes, indication: bool) -> None:
            self.report(
                "notified",
                connection=connection.aneroid,
                handle=handle,
                value=bytes(value).hex(),
                indication=indication,
            )

        client.notification_subscribers[handle] = {lambda value: notified(value, False)}
        client.indication_subscribers[handle] = {lambda value: notified(value, True)}
        await client.write_value(configuration, bytes([kind, 0]), with_response=True)
        return {}

    async def do_rssi(self, line: Line) -> Line:
        return {"rssi": await self.link(line).get_rssi()}

    # The peripheral role.

    async def do_serve(self, line: Line) -> Line:
        server = self.device.gatt_server
        # A table with the Generic Access service (0x1800) is complete and starts at handle 1.
        is_complete = any(service["uuid"].upper() == "1800" for service in line["services"])
        attributes, services = ([], []) if is_complete else self.own_services
        server.attributes, server.services, server.attributes_by_handle = (
            list(attributes),
            list(services),
            {},
        )
        self.characteristics = []
        served = []
        for service in line["services"]:
            characteristics = [
                self.create_characteristic(one) for one in service["characteristics"]
            ]
            made = self.stack.gatt.Service(service["uuid"], characteristics)
            self.device.add_service(made)
            served.append((service, made.handle, characteristics))
        self.protect()
        return {
            "services": [
                {
                    "uuid": service["uuid"],
                    "handle": handle,
                    "characteristics": [
                        {**one, "handle": made.handle}
                        for one, made in zip(service["characteristics"], characteristics)
                    ],
                }
                for service, handle, characteristics in served
            ]
        }

    def protect(self) -> None:
        """Rejects writes to attributes without write permission.

        Bumble's server does not check the permission, even for declarations.
        """
        att = self.stack.att

        async def reject(_bearer: typing.Any, _value: bytes) -> None:
            raise att.ATT_Error(error_code=att.ErrorCode.WRITE_NOT_PERMITTED)

        for attribute in self.device.gatt_server.attributes:
            if not attribute.permissions & att.Attribute.WRITEABLE:
                attribute.write_value = reject

    def create_characteristic(self, fields: Line) -> typing.Any:
        """Creates a characteristic from its fields.

        Without a constant value, each read and write is a request to the host program.
        """
        gatt, att = self.stack.gatt, self.stack.att
        number, properties = len(self.characteristics), fields["properties"]
        value = fields.get("value")

        async def read(connection: typing.Any) -> bytes:
            if not properties & 0x02:
                raise att.ATT_Error(error_code=0x02)
            if value is not None:
                return bytes.fromhex(value)
            return await self.requested("read", connection, number)

        async def write(connection: typing.Any, written: bytes) -> None:
            if not properties & (0x04 if is_command.get() else 0x08):
                raise att.ATT_Error(error_code=0x03)
            if is_command.get():
                self.report(
                    "write",
                    connection=connection.aneroid,
                    characteristic=number,
                    value=bytes(written).hex(),
                    request=None,
                )
            else:
                await self.requested("write", connection, number, value=bytes(written).hex())

        descriptors = []
        if fields.get("name"):
            kind = gatt.GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR
            descriptors.append(
                gatt.Descriptor(kind, att.Attribute.READABLE, fields["name"].encode())
            )
        permissions = att.Attribute.READABLE if properties & 0x02 else att.Attribute.Permissions(0)
        if properties & 0x0C:
            permissions |= att.Attribute.WRITEABLE
        made = gatt.Characteristic(
            fields["uuid"],
            gatt.Characteristic.Properties(properties),
            permissions,
            gatt.CharacteristicValue(read=read, write=write),
            descriptors,
        )
        self.characteristics.append(made)
        return made

    async def requested(
        self, event: str, connection: typing.Any, number: int, **fields: typing.Any
    ) -> bytes:
        """Sends a request to the host program and returns the value of the response.

        The timeout is 30 s, that of an ATT transaction of a central.
        """
        self.request_count += 1
        request = self.request_count
        future: asyncio.Future[Line] = asyncio.get_running_loop().create_future()
        self.requests[request] = future
        self.report(
            event, request=request, connection=connection.aneroid, characteristic=number, **fields
        )
        try:
            response = await asyncio.wait_for(future, 30)
        except asyncio.TimeoutError as error:
            raise self.stack.att.ATT_Error(error_code=0x0E) from error
        finally:
            del self.requests[request]
        if "code" in response:
            raise self.stack.att.ATT_Error(error_code=response["code"])
        return bytes.fromhex(response.get("value", ""))

    async def do_respond(self, line: Line) -> None:
        future = self.requests.get(line["request"])
        if future is None or future.done():
            raise CommandError("nothing")
        future.set_result(line)

    async def do_advertise(self, line: Line) -> Line:
        data, response = bytes.fromhex(line["data"]), bytes.fromhex(line["response"])
        if max(len(data), len(response)) > 31:
            raise CommandError("too-long")
        if self.device.is_advertising:
            await self.device.stop_advertising()
        milliseconds = line["interval"] / 1_000_000
        await self.device.start_advertising(
            advertising_data=data,
            scan_response_data=response,
            auto_restart=False,
            advertising_interval_min=milliseconds,
            advertising_interval_max=milliseconds,
        )
        return {}

    async def do_stop_advertising(self, line: Line) -> Line:
        if self.device.is_advertising:
            await self.device.stop_advertising()
        return {}

    async def do_notify(self, line: Line) -> None:
        if not 0 <= line["characteristic"] < len(self.characteristics):
            raise CommandError("nothing")
        characteristic, value = self.characteristics[line["characteristic"]], bytes.fromhex(
            line["value"]
        )
        links = (
            [self.link(line)] if line.get("connection") is not None else list(self.links.values())
        )
        for connection in links:
            await self.device.gatt_server.notify_subscriber(connection, characteristic, value)
            await self.device.gatt_server.indicate_subscriber(connection, characteristic, value)

    # Both roles.

    async def do_disconnect(self, line: Line) -> Line:
        await self.link(line).disconnect()
        return {}

    async def do_unplug(self, line: Line) -> Line:
        """Removes the power of a virtual radio: its peers lose the connection, as out of range."""
        controller = self.bridge.virtual.get(self.number)
        if controller is None:
            raise CommandError("nothing", what="only a virtual radio can be unplugged")
        await self.do_stop_advertising(line)
        controller.unplug(report_to_host=True)
        return {}

    async def do_expose(self, line: Line) -> Line:
        """Opens a controller for another program's HCI, on the medium of the virtual radios."""
        await self.bridge.expose(line["transport"])
        return {}


def formatted(uuid: typing.Any) -> str:
    """Formats a UUID with four digits, or with 32 in five groups."""
    data = bytes(reversed(uuid.to_bytes(force_128=False)))
    digits = data.hex().upper()
    if len(data) == 2:
        return digits
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])
