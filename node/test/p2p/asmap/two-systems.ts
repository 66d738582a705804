/** Of IPv4 the lower half is routed by 64512, the upper half by 64513, and of IPv6 nothing by any. */
export const TWO_SYSTEMS: Uint8Array = new Uint8Array(Buffer.from(
  "fb03ec0fb03fc0fe00fb03ec0fb03fc0fe00fb03ec0fb0fffffeff41f2fe970f00",
  "hex"
))
