/** Name of the feature (BIP434) by which two nodes negotiate addresses of nodes over QUIC and Iroh. */
export const UDP_ADDRESSES: Uint8Array = new Uint8Array(Buffer.from("lockstep-udp-addresses/1"))

/** True if the feature is {@link UDP_ADDRESSES}. */
export const isUdpAddressesFeature = (id: Uint8Array): boolean => Buffer.from(id).equals(UDP_ADDRESSES)
