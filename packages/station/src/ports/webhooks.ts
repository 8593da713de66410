/** The answer to an attempt. `status` null = there was none, for the reason in `error`. */
export interface WebhookAnswer {
  status: number | null
  error: string | null
}

/** Sends messages to addresses that admins have named, by the Standard Webhooks specification. */
export interface WebhookSender {
  /** True for https at a host whose addresses are all public, and for hosts that the operator has named. */
  accepts(url: string): Promise<boolean>
  /** Signs and sends a message once, within 15 s. Redirects are answers like others. */
  send(url: string, message: { id: string; body: string; secret: string }): Promise<WebhookAnswer>
}
