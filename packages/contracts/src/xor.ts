/**
 * Wraps or unwraps bytes with the key that the middle segment of an art token carries (base64url). This hides bytes
 * from casual saving, nothing more: every listener gets the key.
 *
 * @throws {Error} when the token has no middle segment.
 */
export function xorWithToken(bytes: Uint8Array, artToken: string): Uint8Array {
  const segment = artToken.split('.')[1]
  if (!segment) throw new Error('An art token has a middle segment: the key')
  const key = Uint8Array.from(atob(segment.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
  const out = new Uint8Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) out[i] = bytes[i]! ^ key[i % key.length]!
  return out
}
