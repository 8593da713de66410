import type { Ports } from '@solstice/adapters'
import { hostingOf, usableClips } from '@solstice/station'
import type { Air } from '../air/air.ts'

const RETRY_MS = 1_000

/**
 * Tells the air the clips that may be played and the settings of live hosting. Each call reads both again; the last call
 * wins.
 */
export function createClipsFeed(
  { config, data, log }: Pick<Ports, 'config' | 'data' | 'log'>,
  air: Air,
  planChanged: () => void,
): () => Promise<void> {
  const hasSound = air.state.pace === 'sound'
  let version = 0
  const read = async (): Promise<void> => {
    const asOf = ++version
    const isOutdated = () => air.phase === 'leaving' || asOf !== version
    try {
      const [clips, hosting] = await Promise.all([usableClips(data, config), hostingOf(data, config)])
      if (isOutdated()) return
      air.tell({ type: 'clips', clips })
      air.tell({ type: 'hosting', hosting: { ...hosting, isOn: hosting.isOn && hasSound } })
      planChanged()
    } catch (error) {
      log.error({ err: error }, 'clips could not be read')
      setTimeout(() => isOutdated() || read(), RETRY_MS)
    }
  }
  return read
}
