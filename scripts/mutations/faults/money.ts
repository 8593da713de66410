import { mutationsOf } from '../mutation.ts'

const PAYMENTS = 'packages/adapters/src/services/payments'
const PAYMENT_TESTS = [`${PAYMENTS}/payments.test.ts`, `${PAYMENTS}/providers.test.ts`] as const

/** Payments and their effects. */
export const moneyMutations = mutationsOf('packages/station/src', [
  [
    'old Stripe signatures are accepted',
    'packages/adapters/src/services/payments/stripe.ts',
    'if (Math.abs(Math.floor(nowMs / 1000) - Number(time)) > TOLERANCE_S) return false',
    '',
    ...PAYMENT_TESTS,
  ],
  [
    'Stripe webhooks need no signature',
    'packages/adapters/src/services/payments/stripe.ts',
    'if (!isSigned(delivery, account.webhookSecret)) return null',
    '',
    ...PAYMENT_TESTS,
  ],
  [
    'LiqPay webhooks need no signature',
    'packages/adapters/src/services/payments/liqpay.ts',
    'if (!form || !areSecretsEqual(form.signature, sign(form.data))) return null',
    'if (!form) return null',
    ...PAYMENT_TESTS,
  ],
  [
    'amounts are rounded up to the next hundredth',
    'packages/adapters/src/services/payments/wire-values.ts',
    "Number(units) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'))",
    "Math.ceil(Number(units + '.' + fraction) * 100)",
    ...PAYMENT_TESTS,
  ],
  [
    'a payment in another currency is accepted',
    'donations/claim.ts',
    "if (payment.currency !== donation.currency) return 'other_currency'",
    '',
    'tests/use-cases/donation-claims.test.ts',
  ],
  [
    'one hundredth too little is accepted',
    'donations/claim.ts',
    'if (payment.amountMinor < donation.amountMinor)',
    'if (payment.amountMinor < donation.amountMinor - 1)',
    'tests/use-cases/donation-claims.test.ts',
  ],
  [
    'a payment through another service is accepted',
    'donations/claim.ts',
    "if (donation.provider !== provider) return 'other_provider'",
    '',
    'tests/use-cases/donation-claims.test.ts',
  ],
  [
    'a payment made too late is accepted',
    'donations/claim.ts',
    "return donation.expiresAt !== null && payment.paidAtMs > donation.expiresAt ? 'too_late' : null",
    'return null',
    'tests/use-cases/donation-claims.test.ts',
    'tests/api/donations/deliveries.test.ts',
  ],
  [
    'a donation is shown to every listener',
    'donations/history.ts',
    "if (donation?.uid !== uid) throw new Failure('NOT_FOUND')",
    "if (!donation || !uid) throw new Failure('NOT_FOUND')",
    'tests/api/donations/orders.test.ts',
  ],
  [
    'one payment pays for two orders',
    'donations/claim.ts',
    "if (delivered && delivered.donationId !== donationId) return 'refused'",
    '',
    'tests/use-cases/donation-claims.test.ts',
    'tests/api/donations/deliveries.test.ts',
  ],
  [
    'a payment reported after the order expired is ignored',
    'donations/claim.ts',
    "['pending', 'expired', 'failed'] as const",
    "['pending', 'failed'] as const",
    'tests/use-cases/donation-retention.test.ts',
    'tests/use-cases/donation-claims.test.ts',
  ],
  [
    'orders that can still be paid are dropped',
    'donations/expire.ts',
    'filter((donation) => !mayStillBePaid(donation, nowMs))',
    'filter(() => true)',
    'tests/use-cases/donation-retention.test.ts',
  ],
  [
    'a payment without an order leaves no trace',
    'donations/receive.ts',
    'if (ids.length > 0) return',
    'if (ids.length >= 0) return',
    'tests/use-cases/donation-claims.test.ts',
    'tests/use-cases/donation-retention.test.ts',
  ],
  [
    'a track that the queue would refuse is sold',
    'donations/order.ts',
    'if (obstacle) throw',
    'if (obstacle && !air) throw',
    'tests/api/donations/orders.test.ts',
  ],
  [
    'pending side effects are lost when the state is saved again',
    'apps/stream-worker/src/air/save-loop.ts',
    '[...outbox.pending, ...news]',
    '[...news]',
    'tests/faults/donations.test.ts',
    'tests/faults/donation-crashes.test.ts',
  ],
])

const DONATED_TESTS = 'queue/donated.test.ts'

/** Tracks that are paid for, in the engine. */
export const donatedMutations = mutationsOf('packages/playout/src', [
  [
    'a donated track is refused next to itself',
    'queue/queue.ts',
    "orderType === 'donated' ? placeApart(state, order) : placeOf(state, order)",
    'placeOf(state, order)',
    DONATED_TESTS,
  ],
  [
    'requested tracks survive a mode switch together with donated ones',
    'boundary/boundary.ts',
    'isChanging ? onlyDonated(playlist) : playlist',
    'playlist',
    DONATED_TESTS,
  ],
  [
    'a delayed switch cuts off a donated track',
    'boundary/boundary.ts',
    '(isDonatedQueued(state) || isDonatedOnAir(state)))',
    'isDonatedQueued(state))',
    DONATED_TESTS,
  ],
  [
    'an immediate switch cuts off a donated track',
    'boundary/mode-switch.ts',
    '!isLater && !isDonatedOnAir(state)',
    '!isLater',
    DONATED_TESTS,
  ],
  [
    'a pause cuts off a donated track',
    'live/pause.ts',
    "onAir.phase === 'track' && !isDonatedOnAir(state)",
    "onAir.phase === 'track'",
    DONATED_TESTS,
  ],
  [
    'a donated track that nobody heard counts as heard',
    'step/resume.ts',
    'if (!song || song.entry.entryId === kept) continue',
    'if (!song || dueMs !== null) continue',
    DONATED_TESTS,
  ],
  [
    'unheard tracks appear in the history',
    'step/resume.ts',
    "effects.filter((effect) => effect.type !== 'played')",
    'effects.filter(() => true)',
    DONATED_TESTS,
  ],
])
