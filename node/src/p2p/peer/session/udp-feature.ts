/** The name of the feature (BIP434) by which two nodes agree on addresses of nodes over QUIC and Iroh. */
export const UDP_ADDRESSES: Uint8Array = new Uint8Array(Buffer.from("lockstep-udp-addresses/1"))

/** Whether a feature is that one. */
export const isUdpAddressesFeature = (id: Uint8Array): boolean => Buffer.from(id).equals(UDP_ADDRESSES)
