import type { FastifyInstance } from 'fastify'
import { type AudioDeps, audioRoutes } from './audio.ts'
import { type CoverDeps, coverRoutes } from './covers.ts'
import { type HlsDeps, hlsRoutes } from './hls.ts'
import { type ListenerLyricsDeps, listenerLyricsRoutes } from './lyrics.ts'
import { type PictureDeps, pictureRoutes } from './pictures.ts'
import { type StationDeps, stationRoutes } from './station.ts'
import { type StreamDeps, streamRoutes } from './stream.ts'

/** Everything that a listener needs: the station, its library and lyrics, pictures, and the sound. */
export function listeningRoutes(
  app: FastifyInstance,
  deps: StationDeps & ListenerLyricsDeps & PictureDeps & CoverDeps & AudioDeps & StreamDeps & HlsDeps,
): void {
  stationRoutes(app, deps)
  listenerLyricsRoutes(app, deps)
  pictureRoutes(app, deps)
  coverRoutes(app, deps)
  audioRoutes(app, deps)
  streamRoutes(app, deps)
  hlsRoutes(app, deps)
}
