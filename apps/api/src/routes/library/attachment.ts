/** A `Content-Disposition` (RFC 6266) for any file name: in UTF-8, and in ASCII for clients that do not read that. */
export function attachment(name: string): string {
  const safe = name.replace(/[/\\:*?"<>|\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/gu, '_')
  const ascii = safe.replace(/[^\x20-\x7e]|%/g, '_')
  const encoded = encodeURIComponent(safe).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
