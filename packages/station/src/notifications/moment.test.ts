import { advance, nextDueMs, type PlayoutState } from '@solstice/playout'
import t from 'tap'
import { NOON, track } from '../../../../tests/harness/air/programme.ts'
import {
  accepted,
  add,
  ask,
  decide,
  free,
  queueStation,
  remove,
} from '../../../../tests/harness/air/queue-station.ts'
import { pendingDonation } from '../../../../tests/harness/donations/orders.ts'
import type { DonationRecord } from '../ports/data/data-store.ts'
import { momentOf } from './moment.ts'

const song = track('wish', 'artist', 60_000, 'day')

t.test('a request waits for its decision and in the queue, is next, on air, and over', async (t) => {
  const momentIn = (air: PlayoutState | null, uid = 'ann') =>
    momentOf({ uid, trackId: song.id, donationId: null }, air, null)
  t.equal(momentIn(null), 'waiting')
  t.equal(momentIn(free()), 'over', 'nobody asked')
  const asked = accepted(free(), ask('ann', song))
  t.equal(momentIn(asked), 'waiting')
  t.equal(momentIn(asked, 'bob'), 'over', 'somebody else asked')
  t.equal(momentIn(accepted(asked, decide('ann', 'reject'))), 'over')
  const added = accepted(asked, decide('ann', 'add'))
  t.equal(momentIn(added), 'next')
  t.equal(momentIn(accepted(added, add(track('paid'), 'donated'))), 'waiting', 'a paid song went before')
  const removed = accepted(added, remove(1))
  t.equal(momentIn(removed), 'waiting', 'an admin may put it back')
  t.equal(momentIn({ ...removed, removed: [] }), 'over')
  const startMs = nextDueMs(added)!
  const onAir = advance(added, startMs).state
  t.equal(momentIn(onAir), 'on-air')
  t.equal(momentIn(advance(onAir, startMs + 61_000).state), 'over')
})

t.test('an order waits for its payment and in the queue, is next, on air, and over', async (t) => {
  const momentIn = (air: PlayoutState | null, facts: Partial<DonationRecord>) =>
    momentOf({ uid: 'ann', trackId: song.id, donationId: 'order' }, air, pendingDonation('order', facts))
  const empty = queueStation()
  t.equal(momentOf({ uid: 'ann', trackId: song.id, donationId: 'order' }, empty, null), 'over')
  t.equal(momentIn(empty, {}), 'waiting')
  for (const status of ['failed', 'expired', 'paid_unqueued', 'paid_back'] as const)
    t.equal(momentIn(empty, { status }), 'over', status)
  t.equal(momentIn(empty, { status: 'paid', queue: 'refused' }), 'over')
  t.equal(momentIn(empty, { status: 'paid', queue: 'due' }), 'waiting')
  const queued = accepted(empty, add(song, 'donated', { orderId: 'order' }), NOON)
  t.equal(momentIn(queued, { status: 'paid', queue: 'queued' }), 'next')
  const startMs = nextDueMs(queued)!
  const onAir = advance(queued, startMs).state
  t.equal(momentIn(onAir, { status: 'paid', queue: 'aired' }), 'on-air')
  t.equal(momentIn(advance(onAir, startMs + 61_000).state, { status: 'paid', queue: 'aired' }), 'over')
})
