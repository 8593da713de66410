import { type DonationRecord, UNKNOWN_ORDER } from '@solstice/station'
import { openStationData, readStation } from './configuration.ts'
import { Refusal, say, table } from './terminal.ts'

/** Prints the events of a donation, or the payments that name none, in order and by the station's clock. */
export async function printLedger(id: string): Promise<void> {
  const config = readStation()
  const data = await openStationData(config)
  try {
    const [donation, entries] = await Promise.all([
      data.donations.get(id),
      data.ledger.find({ donationId: id }),
    ])
    if (!donation && entries.length === 0)
      throw new Refusal(id === UNKNOWN_ORDER ? 'every payment names an order' : `there is no donation ${id}`)
    const at = localTime(config.timeZone)
    if (donation) describe(donation, at)
    const inOrder = entries.toSorted((a, b) => a.id - b.id)
    for (const line of table(inOrder.map(({ atMs, event, note }) => [at(atMs), event, note]))) say(line)
  } finally {
    await data.close()
  }
}

function describe(donation: Readonly<DonationRecord>, at: (ms: number) => string): void {
  const { songArtist, songTitle, amountMinor, currency, tier, provider, status, queue } = donation
  say(`${songArtist ? `${songArtist} – ` : ''}${songTitle}`)
  say(
    `${(amountMinor / 100).toFixed(2)} ${currency}${tier === null ? '' : `, tier ${tier}`}, ${provider}` +
      `${donation.matchCode ? `, code ${donation.matchCode}` : ''}`,
  )
  const why = donation.refusedWhy ? ` (${donation.refusedWhy})` : ''
  const paid = donation.paidAt === null ? '' : `, paid ${at(donation.paidAt)}`
  say(`${status}${queue ? `, song ${queue}${why}` : ''}${paid}`)
  say()
}

/** `2026-11-22 01:02:03 +02:00` */
export function localTime(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  const offset = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  return (ms) => {
    const name = offset.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    return `${format.format(ms)} ${name.replace('GMT', '') || '+00:00'}`
  }
}
