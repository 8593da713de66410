import type { ClipFamily } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { createStore, type Store } from '../../ui/store.ts'
import { call, failureText } from '../data/client.ts'
import { useAdmin, useToasts } from '../data/panel.ts'
import { readShape, type SoundShape } from './sound-shape.ts'

/** Sound that is played to the admin; never on the air. */
export interface Playing {
  id: string
  positionS: number
  isPaused: boolean
}

export interface Preview {
  readonly playing: Store<Playing | null>
  /** Shapes by the id of their clip, once they are known. */
  readonly shapes: Store<ReadonlyMap<string, SoundShape>>
  toggle(family: ClipFamily, id: string): void
  seek(family: ClipFamily, id: string, toS: number): void
  /** Finds out the shape of a clip, one after the other. */
  draw(family: ClipFamily, id: string): void
  stop(): void
}

/** The player of this part, and the shapes it has drawn. It falls silent when the part is left. */
export function usePreview(): Preview {
  const { locale } = useAdmin()
  const toasts = useToasts()
  const [preview] = useState(() =>
    createPreview((error) => toasts.show({ is: 'failed', text: failureText(error, locale) })),
  )
  useEffect(() => preview.stop, [preview])
  return preview
}

function createPreview(failed: (error: unknown) => void): Preview {
  const audio = new Audio()
  const playing = createStore<Playing | null>(null)
  const shapes = createStore<ReadonlyMap<string, SoundShape>>(new Map())
  const asked = new Set<string>()
  let drawing: Promise<void> = Promise.resolve()
  const urlOf = async (family: ClipFamily, id: string) =>
    (await call(`GET /api/admin/${family}/:id/audio`, { params: { id } })).url
  const tell = () => {
    const { value } = playing
    if (value) playing.set({ ...value, positionS: audio.currentTime, isPaused: audio.paused })
  }
  for (const name of ['timeupdate', 'play', 'pause', 'ended', 'seeked']) audio.addEventListener(name, tell)

  const start = async (family: ClipFamily, id: string, atS: number) => {
    try {
      if (playing.value?.id !== id) {
        audio.pause()
        playing.set({ id, positionS: 0, isPaused: true })
        audio.src = await urlOf(family, id)
      }
      if (playing.value?.id !== id) return
      audio.currentTime = atS
      await audio.play()
    } catch (error) {
      if ((error as Error).name !== 'AbortError') failed(error)
    }
  }

  return {
    playing,
    shapes,
    toggle(family, id) {
      const { value } = playing
      if (value?.id === id && !value.isPaused) audio.pause()
      else void start(family, id, value?.id === id && !audio.ended ? audio.currentTime : 0)
    },
    seek: (family, id, toS) => void start(family, id, toS),
    draw(family, id) {
      if (asked.has(id)) return
      asked.add(id)
      drawing = drawing.then(async () => {
        // A picture is no necessity: without it the clip is played all the same.
        const shape = await urlOf(family, id)
          .then((url) => fetch(url))
          .then((response) => response.blob())
          .then(readShape)
          .catch(() => null)
        if (shape) shapes.set(new Map(shapes.value).set(id, shape))
      })
    },
    stop() {
      audio.pause()
      playing.set(null)
    },
  }
}
