import type { PublicConfig } from '@solstice/contracts'
import { apiUrl } from '../../../api.ts'
import type { Store } from '../../../ui/store.ts'
import type { Connection } from '../../connection/connection.ts'
import { createLagMeter } from './lag.ts'
import type { StreamTransport } from './player.ts'
import { createStreamChoice, type Quality, type StreamChoice } from './quality.ts'
import { addressOf, createStreamRequest, statusOf } from './request.ts'
import { createSegmentLag } from './segments/lag.ts'
import { loadSource } from './segments/load.ts'
import { createSegmentRequest } from './segments/request.ts'
import { playlistOf, segmentedStreams } from './segments/source.ts'
import { readMetadata, titleIn } from './segments/title.ts'
import type { TransportName } from './transport-choice.ts'

export interface TransportDeps {
  audio: HTMLAudioElement
  connection: Connection
  config: Store<PublicConfig | null>
  quality: Store<Quality>
}

/** A way of playing the broadcast, with the streams that can be played in it. */
export interface NamedTransport extends StreamTransport {
  readonly choice: StreamChoice
  /** Asks the station whether it would send it now. */
  answers(): Promise<boolean>
}

export const createTransports = (deps: TransportDeps): Record<TransportName, NamedTransport> => ({
  endless: createEndless(deps),
  segments: createSegments(deps),
})

function createEndless({ audio, connection, config, quality }: TransportDeps): NamedTransport {
  const choice = createStreamChoice(config, quality)
  return {
    choice,
    request: createStreamRequest(audio, connection.artToken, choice.now),
    lag: createLagMeter(audio, connection.roundTripMs),
    source: () => choice.now().path,
    async answers() {
      const token = await connection.artToken.get().catch(() => '')
      return (await statusOf(addressOf(choice.now(), token))) === 200
    },
  }
}

function createSegments({ audio, connection, config, quality }: TransportDeps): NamedTransport {
  const { stationNowMs } = connection
  const playable = (of: PublicConfig | null) => segmentedStreams(of, audio)
  const choice = createStreamChoice(config, quality, playable)
  const listener = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(36)).join('')
  const told = new Set<() => void>()
  const onFailed = () => {
    for (const tell of told) tell()
  }
  readMetadata(audio)
  const request = createSegmentRequest({
    ...{ audio, listener, stationNowMs, choose: choice.now },
    load: () => loadSource(audio, onFailed),
  })
  return {
    choice,
    request,
    lag: createSegmentLag({ heardMs: request.heardMs, stationNowMs }),
    source: () => choice.now().path,
    title: () => titleIn(audio),
    onFailed(tell) {
      told.add(tell)
      return () => told.delete(tell)
    },
    answers: async () =>
      playable(config.value).length > 0 &&
      (await statusOf(apiUrl(playlistOf(choice.now(), listener)))) === 200,
  }
}
