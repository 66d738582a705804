import type * as Brand from "effect/Brand"

/*
 * Times by unit, so that seconds in place of milliseconds do not compile. The kernel's times are plain numbers, so that
 * a branded one fits wherever a rule accepts it.
 */

/** Whole seconds since 1970, as in headers, bans, addresses and `setmocktime`. */
export type UnixSeconds = number & Brand.Brand<"UnixSeconds">

/** Milliseconds since 1970, as in clocks and timers. */
export type UnixMilliseconds = number & Brand.Brand<"UnixMilliseconds">

/** A duration in seconds. The name carries the unit instead of a brand, because durations are mostly computed with. */
export type Seconds = number

/** A duration in milliseconds, as in timers and intervals. */
export type Milliseconds = number

/**
 * A moment in milliseconds of the clock that the field names. If the field says so, 0 means never and Infinity not at
 * all. Without a brand, because moments of one clock are computed from each other.
 */
export type Moment = number

/** Brands a number that is known to be seconds since 1970: from a file, a message, a call or a header. */
export const unixSeconds = (seconds: number): UnixSeconds => seconds as UnixSeconds

/** Brands a number that is known to be milliseconds since 1970. */
export const unixMilliseconds = (milliseconds: number): UnixMilliseconds => milliseconds as UnixMilliseconds

/** Converts a time to whole seconds. */
export const secondsOf = (time: UnixMilliseconds): UnixSeconds => unixSeconds(Math.floor(time / 1_000))

/** Converts a time of whole seconds to milliseconds. */
export const millisecondsOf = (time: UnixSeconds): UnixMilliseconds => unixMilliseconds(time * 1_000)
