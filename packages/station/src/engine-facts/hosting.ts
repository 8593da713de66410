import type { Hosting } from '@solstice/playout'
import type { DataStore } from '../ports/data/data-store.ts'
import { readSettings } from '../settings/settings.ts'

/** The rules for hosts and guests, from the configuration and the stored settings. */
export async function hostingOf(
  data: Pick<DataStore, 'settings'>,
  station: {
    radioHostsMode: boolean
    maxLiveHostSlots: number
    guestRequestExpiryS: number
    guestRequestCooldownS: number
  },
): Promise<Hosting> {
  const { radioHosts } = await readSettings(data)
  return {
    isOn: station.radioHostsMode,
    slots: station.maxLiveHostSlots,
    guestRequestExpiryMs: station.guestRequestExpiryS * 1000,
    guestCooldownMs: station.guestRequestCooldownS * 1000,
    guestMs: radioHosts.guestMaxDurationMinutes * 60_000,
    specialGuestMs: radioHosts.specialGuestMaxDurationMinutes * 60_000,
  }
}
