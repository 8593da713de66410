import { useEffect, useRef, useState } from 'preact/hooks'
import { useToasts } from '../../data/panel.ts'
import { Drawer } from '../../ui/layers/drawer.tsx'
import { useStationTexts } from '../texts.ts'
import { cropOf, dragged, type Framing, MAX_ZOOM, savedSize } from './crop.ts'

const CENTRED: Framing = { zoom: 1, x: 0.5, y: 0.5 }
const QUALITY = 0.88

/** Takes a portrait out of any picture that the browser can read, and gives it as JPEG. */
export function CropDrawer(props: {
  artist: string
  file: File
  isBusy: boolean
  onCropped: (image: Blob) => void
  onClose: () => void
}) {
  const { artist, file, isBusy, onCropped, onClose } = props
  const t = useStationTexts()
  const picture = usePicture(file, onClose)
  const [framing, setFraming] = useState(CENTRED)
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (picture && canvas.current) draw(canvas.current, picture, framing)
  }, [picture, framing])
  const from = useRef<{ x: number; y: number } | null>(null)
  const drag = (event: PointerEvent) => {
    if (!from.current || !picture || !canvas.current) return
    const box = canvas.current.getBoundingClientRect()
    const by = {
      x: (event.clientX - from.current.x) / box.width,
      y: (event.clientY - from.current.y) / box.height,
    }
    from.current = { x: event.clientX, y: event.clientY }
    setFraming(dragged(picture, framing, by))
  }
  const save = () => {
    if (!isBusy) canvas.current?.toBlob((image) => image && onCropped(image), 'image/jpeg', QUALITY)
  }
  const slider = (name: keyof Framing, label: string, min: number, max: number) => (
    <label class="crop-slider">
      <span>{label}</span>
      <input
        type="range"
        min={min}
        max={max}
        step="0.01"
        value={framing[name]}
        style={{ '--level': (framing[name] - min) / (max - min) }}
        onInput={({ currentTarget }) => setFraming({ ...framing, [name]: Number(currentTarget.value) })}
      />
    </label>
  )
  const actions = (
    <button type="button" class="button primary" aria-disabled={isBusy || !picture} onClick={save}>
      {t.saveImage}
    </button>
  )
  return (
    <Drawer title={artist} onClose={onClose} actions={actions}>
      <p class="hint">{t.cropHint}</p>
      <canvas
        ref={canvas}
        class="portrait-crop"
        role="img"
        aria-label={t.cropOf(artist)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          from.current = { x: event.clientX, y: event.clientY }
        }}
        onPointerMove={drag}
        onPointerUp={() => {
          from.current = null
        }}
        onPointerCancel={() => {
          from.current = null
        }}
      />
      {slider('zoom', t.zoom, 1, MAX_ZOOM)}
      {slider('x', t.across, 0, 1)}
      {slider('y', t.down, 0, 1)}
    </Drawer>
  )
}

/** The picture in a file; when it can't be read, that is said and `onClose` is called. */
function usePicture(file: File, onClose: () => void): ImageBitmap | null {
  const t = useStationTexts()
  const toasts = useToasts()
  const [picture, setPicture] = useState<ImageBitmap | null>(null)
  useEffect(() => {
    let isGone = false
    createImageBitmap(file).then(
      (read) => (isGone ? read.close() : setPicture(read)),
      () => {
        if (isGone) return
        toasts.show({ is: 'failed', text: t.unreadable(file.name) })
        onClose()
      },
    )
    return () => {
      isGone = true
    }
  }, [file])
  return picture
}

function draw(canvas: HTMLCanvasElement, picture: ImageBitmap, framing: Framing): void {
  const { left, top, width, height } = cropOf(picture, framing)
  Object.assign(canvas, savedSize({ width, height }))
  const context = canvas.getContext('2d')!
  // JPEG has no transparency.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, left, top, width, height, 0, 0, canvas.width, canvas.height)
}
