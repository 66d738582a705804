import { assert, describe, it } from "@effect/vitest"
import { openLibc } from "../../../src/modules/sandbox/unshare/libc.ts"

describe("a call of the C library for the sandbox", () => {
  it.skipIf(process.platform !== "linux")("that the system refuses throws with the call and the error", () => {
    const libc = openLibc()
    // ENOENT, or EPERM where the user may not unmount at all.
    assert.throws(
      () => libc.unmount("/proc/self/no-such-place", 0),
      /^the unmount of .*no-such-place failed with error (?:1|2) of the system$/
    )
    assert.throws(
      () => libc.mount(null, "/proc/self/no-such-place", "tmpfs", 0, null),
      /^a mount at .*no-such-place failed with error (?:1|2) of/
    )
  })
})
