import { mutationsOf } from './mutation.ts'

const PAYMENT_TESTS = 'packages/adapters/src/payments/payments.test.ts'

/** What is paid, and what comes of it. */
export const moneyMutations = mutationsOf('packages/station/src', [
  [
    'old signatures of Stripe are taken',
    'packages/adapters/src/payments/stripe.ts',
    'if (Math.abs(Math.floor(nowMs / 1000) - Number(time)) > TOLERANCE_S) return false',
    '',
    PAYMENT_TESTS,
  ],
  [
    'what Stripe says needs no signature',
    'packages/adapters/src/payments/stripe.ts',
    'if (!isSigned(delivery, account.webhookSecret)) return null',
    '',
    PAYMENT_TESTS,
  ],
  [
    'what LiqPay says needs no signature',
    'packages/adapters/src/payments/liqpay.ts',
    'if (!form || !areSame(form.signature, sign(form.data))) return null',
    'if (!form) return null',
    PAYMENT_TESTS,
  ],
  [
    'amounts are rounded up from beyond hundredths',
    'packages/adapters/src/payments/wire-values.ts',
    "Number(units) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'))",
    'Math.ceil(Number(`${units}.${fraction}`) * 100)',
    PAYMENT_TESTS,
  ],
  [
    'another currency pays',
    'donation-claims.ts',
    "if (payment.currency !== donation.currency) return 'other_currency'",
    '',
    'tests/donations.test.ts',
  ],
  [
    'one hundredth less is enough',
    'donation-claims.ts',
    'if (payment.amountMinor < donation.amountMinor)',
    'if (payment.amountMinor < donation.amountMinor - 1)',
    'tests/donations.test.ts',
  ],
  [
    'another service pays',
    'donation-claims.ts',
    "if (donation.provider !== provider) return 'other_provider'",
    '',
    'tests/donations.test.ts',
  ],
  [
    'a payment that was made too late counts',
    'donation-claims.ts',
    "return donation.expiresAt !== null && payment.paidAtMs > donation.expiresAt ? 'too_late' : null",
    'return null',
    'tests/donations.test.ts',
  ],
  [
    'a donation is shown to any listener',
    'donations.ts',
    "if (donation?.uid !== uid) throw new Failure('NOT_FOUND')",
    "if (!donation || !uid) throw new Failure('NOT_FOUND')",
    'tests/donations.test.ts',
  ],
  [
    'one payment pays for two orders',
    'donation-claims.ts',
    "if (delivered && delivered.donationId !== donationId) return 'refused'",
    '',
    'tests/donations.test.ts',
  ],
])
