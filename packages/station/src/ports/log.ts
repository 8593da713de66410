/** The part of a logger that use cases need. */
export interface Log {
  info(details: object, text: string): void
  warn(details: object, text: string): void
}
