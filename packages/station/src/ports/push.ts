import type { NotificationRecord } from './data/data-store.ts'

/** A browser that messages can be sent to. */
export type Device = Pick<NotificationRecord, 'endpoint' | 'p256dh' | 'auth'>

/** The services of browser makers that carry messages to their browsers (RFC 8030, 8291, 8292). */
export interface PushServices {
  /** The public key that browsers subscribe with: a configured one, or one made once for the station. */
  publicKey(): Promise<string>
  /** True for an address at a known service whose keys a message can be encrypted with. */
  accepts(device: Device): boolean
  /**
   * Sends a message, encrypted for this device.
   *
   * @param message.topic a message replaces an earlier one of the same topic that is not delivered yet.
   * @param message.lifeS seconds for which the service keeps it for a device that is away.
   * @returns `gone` when the device has no such subscription any more; `refused` when trying again would not help.
   * @throws Error when it may succeed later.
   */
  send(
    device: Device,
    message: { text: string; topic: string; lifeS: number },
  ): Promise<'sent' | 'gone' | 'refused'>
}
