import { upcoming } from '@solstice/playout'
import type { DataStore } from '@solstice/station'
import type { Test } from 'tap'
import type { Station } from './station.ts'

/** Fails unless each order ended in exactly one way and its song was heard accordingly. */
export async function assertSettled(
  t: Test,
  station: Station,
  data: DataStore,
  ids: string[],
): Promise<void> {
  const problems: string[] = []
  const entries = station.saved?.state.playlist.entries ?? []
  const waiting = station.saved ? upcoming(station.saved.state).map(({ orderId }) => orderId) : []
  for (const donation of (await data.donations.find()).filter(({ id }) => ids.includes(id))) {
    const { id, status, queue } = donation
    const starts = station.starts.get(id)?.size ?? 0
    const places = waiting.filter((orderId) => orderId === id).length
    const end = `${status} ${queue}`
    const isOver = starts > 0 && !station.sounding.has(id) && !station.cut.has(id)
    const heardMs = station.heardMs.get(id) ?? 0
    // The last 10 s may be cut by silence trimming; the clock gives the sound 30 s more than it has.
    if (isOver && (heardMs < 170_000 || heardMs > 300_000)) problems.push(`${id}: ${heardMs} ms were heard`)
    const isRight =
      end === 'paid aired'
        ? starts === 1 && places === 0
        : end === 'paid queued'
          ? starts === 0 && places === 1
          : ['paid_unqueued refused', 'pending null', 'failed null', 'expired null'].includes(end) &&
            starts + places === 0
    if (!isRight) problems.push(`${id}: ${end}, ${starts} starts, ${places} places`)
    if ((queue === 'aired') !== (donation.airedAt !== null))
      problems.push(`${id}: ${end} at ${donation.airedAt}`)
    if (entries.filter(({ orderId }) => orderId === id).length > 1) problems.push(`${id} stands there twice`)
    const events = (await data.ledger.find({ donationId: id })).filter(
      // A payment may arrive after the order was closed.
      ({ onceKey }) =>
        !/^refused \w+_provider/.test(onceKey) && !(donation.paidAt && onceKey === `refused ${id}`),
    )
    const names = events.map(({ event }) => event)
    // A second payment is delivered as well.
    const once = names.filter((name) => name !== 'delivered')
    if (new Set(once).size < once.length) problems.push(`${id}: ${names}`)
    const needed = {
      'paid aired': ['delivered', 'claimed', 'queued', 'on-air'],
      'paid queued': ['delivered', 'claimed', 'queued'],
      'paid_unqueued refused': ['delivered', 'claimed', 'refused'],
      'failed null': ['refused'],
      'expired null': ['refused'],
    }[end]
    if (needed?.some((event) => !names.includes(event as 'claimed'))) problems.push(`${id}, ${end}: ${names}`)
    const told = station.told.filter(({ donationId }) => donationId === id)
    const isAccepted = status === 'paid'
    const isTold =
      status === 'pending' || status === 'expired' || told.some(({ accepted }) => accepted === isAccepted)
    if (!isTold) problems.push(`the donor of ${id} was not told`)
  }
  t.same(problems, [])
}
