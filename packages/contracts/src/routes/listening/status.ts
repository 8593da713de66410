import { STATUS_DAYS, Status } from '../../resources/sites/status.ts'
import { defineRoute } from '../../route.ts'

export const getStatus = defineRoute({
  method: 'GET',
  path: '/api/status',
  summary: `Returns how the station is, its last incident and the uptime of ${STATUS_DAYS} days; may be 10 s old`,
  access: 'public',
  isForAllSites: true,
  reply: Status,
  failures: ['RATE_LIMITED'],
  example: {
    reply: {
      isOnAir: true,
      onAirSince: 1_789_900_012_000,
      mounts: [{ path: '/api/stream/public.mp3', format: 'audio/mpeg', bitrate: 192, isOnAir: true }],
      incident: { kind: 'break', from: 1_789_900_000_000, until: 1_789_900_012_000 },
      uptime: {
        share: 0.9999,
        days: [
          { date: '2026-09-20', share: 0.9999, breaks: 1 },
          { date: '2026-09-21', share: 1, breaks: 0 },
        ],
      },
      timeZone: 'Europe/Kyiv',
      at: 1_790_000_042_500,
    },
  },
})
