"""Google's Bumble as the bridge to Bluetooth LE uses it."""

from __future__ import annotations

import asyncio
import importlib
import types
import typing


class Stack:
    """The modules of Bumble, loaded when the bridge starts so that one without them can say so."""

    def __init__(self) -> None:
        self.att = self._load("att")
        self.controller = self._load("controller")
        self.core = self._load("core")
        self.device = self._load("device")
        self.gatt = self._load("gatt")
        self.hci = self._load("hci")
        self.host = self._load("host")
        self.link = self._load("link")
        self.ll = self._load("ll")
        self.transport = self._load("transport")

    @staticmethod
    def _load(name: str) -> typing.Any:
        module: types.ModuleType = importlib.import_module("bumble." + name)
        return module

    def virtual_air(self) -> typing.Any:
        """What virtual controllers share: Bumble's own, which hands each advertisement to each controller and looks all of them
        through for each packet, made fit for hundreds of tags."""
        control = self.ll

        class VirtualAir(self.link.LocalLink):  # type: ignore[misc,name-defined]
            """An air in which who does not listen is not told."""

            def __init__(self) -> None:
                super().__init__()
                self.known: typing.Dict[typing.Any, typing.Any] = {}

            def on_address_changed(self, controller: typing.Any) -> None:
                self.known[controller.random_address] = controller

            def find_le_controller(self, address: typing.Any) -> typing.Any:
                found = self.known.get(address)
                if found is not None and found.random_address == address:
                    return found
                return super().find_le_controller(address)

            def send_advertising_pdu(self, sender_controller: typing.Any, packet: typing.Any) -> None:
                soon = asyncio.get_running_loop().call_soon
                if isinstance(packet, control.ConnectInd):
                    wanted = self.find_le_controller(packet.advertiser_address)
                    if wanted is not None:
                        soon(wanted.on_ll_advertising_pdu, packet)
                    return
                for controller in self.controllers:
                    listens = controller.le_scan_enable or controller.pending_le_connection
                    if listens and controller is not sender_controller:
                        soon(controller.on_ll_advertising_pdu, packet)

        return VirtualAir()

    def virtual_controller(self, air: typing.Any) -> typing.Any:
        """The class of Bumble's virtual controllers, made to answer scans and cancelled connections as a real one does.

        Its own, of version 0.0.236, gives the advertisement twice, the second time as a scan response, to passive scanners too.
        """
        hci, control = self.hci, self.ll
        kinds = hci.HCI_LE_Extended_Advertising_Report_Event.EventType
        legacy = hci.HCI_LE_Advertising_Report_Event.EventType

        class VirtualController(self.controller.Controller):  # type: ignore[misc,name-defined]
            """A controller whose reports tell advertisements and scan responses apart."""

            le_scan_enable: bool = False
            le_scan_type: int = 0
            pending_le_connection: typing.Any = None

            def unplug(self, *, tells_host: bool = False) -> None:
                """Its host or its power is gone, or its host begins anew: its connections end, and it neither scans nor advertises."""
                self.le_scan_enable, self.pending_le_connection = False, None
                for connection in list(self.le_connections.values()):
                    self.le_connections.pop(connection.peer_address, None)
                    try:
                        # 0x08: connection timeout, which is what the other side finds.
                        connection.send_ll_control_pdu(control.TerminateInd(0x08))
                    except Exception:  # The other side is gone as well.
                        pass
                    if tells_host:
                        ended = hci.HCI_Disconnection_Complete_Event(
                            status=hci.HCI_ErrorCode.SUCCESS, connection_handle=connection.handle, reason=0x08
                        )
                        self.send_hci_packet(ended)
                for advertiser in [self.le_legacy_advertiser, *self.advertising_sets.values()]:
                    if advertiser.enabled:
                        advertiser.stop()

            def on_hci_reset_command(self, command: typing.Any) -> typing.Any:
                self.unplug()
                return super().on_hci_reset_command(command)

            def on_hci_le_set_extended_scan_parameters_command(self, command: typing.Any) -> typing.Any:
                self.le_scan_type = command.scan_types[0]
                return super().on_hci_le_set_extended_scan_parameters_command(command)

            def on_hci_le_create_connection_cancel_command(self, command: typing.Any) -> typing.Any:
                wanted, self.pending_le_connection = self.pending_le_connection, None
                if wanted is not None:
                    # Bumble's own never says that the attempt has ended, for which its host waits for ever.
                    ended = hci.HCI_LE_Connection_Complete_Event(
                        status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0,
                        role=hci.Role.CENTRAL, peer_address_type=wanted.peer_address_type, peer_address=wanted.peer_address,
                        connection_interval=0, peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0,
                    )
                    asyncio.get_running_loop().call_soon(self.send_hci_packet, ended)
                return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

            def on_advertising_pdu(self, pdu: typing.Any) -> None:
                if self.le_scan_enable:
                    self.report(pdu, pdu.data, is_response=False)
                    if self.le_scan_type == 1:
                        self.report(pdu, self.response_of(pdu.advertiser_address), is_response=True)
                is_scanning, self.le_scan_enable = self.le_scan_enable, False
                super().on_advertising_pdu(pdu)
                self.le_scan_enable = is_scanning

            def response_of(self, address: typing.Any) -> bytes:
                """What a device says to those who ask."""
                controller = air.find_le_controller(address)
                if controller is not None:
                    for advertiser in [controller.le_legacy_advertiser, *controller.advertising_sets.values()]:
                        if advertiser.enabled and advertiser.address == address:
                            return bytes(advertiser.scan_response_data)
                return b""

            def report(self, pdu: typing.Any, data: bytes, *, is_response: bool) -> None:
                # Bumble's virtual radios have no distance: its own figure of -50 dBm stays.
                address = pdu.advertiser_address
                common = {"address_type": address.address_type, "address": address, "data": data, "rssi": -50}
                if not self.le_features & hci.LeFeatureMask.LE_EXTENDED_ADVERTISING:
                    kind = legacy.SCAN_RSP if is_response else legacy.ADV_IND
                    plain = hci.HCI_LE_Advertising_Report_Event
                    self.send_hci_packet(plain([plain.Report(event_type=kind, **common)]))
                    return
                kind = kinds.LEGACY_ADVERTISING_PDU_USED | kinds.SCANNABLE_ADVERTISING | kinds.CONNECTABLE_ADVERTISING
                if is_response:
                    kind |= kinds.SCAN_RESPONSE
                extended = hci.HCI_LE_Extended_Advertising_Report_Event
                report = extended.Report(
                    event_type=kind, primary_phy=hci.Phy.LE_1M, secondary_phy=0, advertising_sid=0xFF, tx_power=0x7F,
                    periodic_advertising_interval=0, direct_address_type=0, direct_address=hci.Address.ANY, **common,
                )
                self.send_hci_packet(extended([report]))

        return VirtualController

    @staticmethod
    def watch(transport: typing.Any, controller: typing.Any) -> None:
        """Unplugs a controller whenever another host comes to the transport at which it is served, or its host goes.

        Bumble's own servers tell nobody: half a packet of a host that was killed would be the beginning of the next one's first,
        and the connections of the dead would stay.
        """
        sink = transport.sink
        if not hasattr(sink, "transport"):
            return
        plain = type(sink)

        class Watched(plain):  # type: ignore[misc,valid-type]
            """A sink that knows when its host changes."""

            def __setattr__(self, name: str, value: typing.Any) -> None:
                if name == "transport":
                    held = self.transport
                    if value is None and held is not None and not held.is_closing():
                        # The farewell of a host that another has followed already.
                        return
                    transport.source.parser.reset()
                    controller.unplug()
                super().__setattr__(name, value)

        sink.__class__ = Watched
