import './crop.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useTexts, useToasts } from '../../data/panel.ts'
import { useTrackTexts } from '../use-track.ts'
import { cropArea, sentSize } from './crop-area.ts'

const STEP = 0.02
const QUALITY = 0.9

/** Lets somebody choose which 9:20 part of a picture is kept: by dragging, by arrows, by zoom. */
export function Crop(props: {
  file: File
  isBusy: boolean
  onCrop: (jpeg: Blob) => void
  onClose: () => void
}) {
  const { file, isBusy, onCrop, onClose } = props
  const t = useTrackTexts()
  const { cancel } = useTexts()
  const toasts = useToasts()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [picture, setPicture] = useState<ImageBitmap | null>(null)
  const [centre, setCentre] = useState({ x: 0.5, y: 0.5 })
  const [zoom, setZoom] = useState(1)
  useEffect(() => {
    let opened: ImageBitmap | null = null
    createImageBitmap(file).then(
      (bitmap) => {
        opened = bitmap
        setPicture(bitmap)
      },
      () => {
        toasts.show({ is: 'failed', text: t.notPicture })
        onClose()
      },
    )
    return () => opened?.close()
  }, [file])
  const area = picture && cropArea(picture, centre, zoom)
  useEffect(() => {
    const own = canvas.current
    if (!own || !picture || !area) return
    const { width, height } = sentSize(area)
    Object.assign(own, { width, height })
    own.getContext('2d')?.drawImage(picture, area.x, area.y, area.width, area.height, 0, 0, width, height)
  }, [picture, centre, zoom])
  /** Moves the kept part by parts of itself, from where it is, so that an edge is left at once. */
  const move = (byX: number, byY: number) => {
    if (!picture || !area) return
    const x = (area.x + area.width * (0.5 + byX)) / picture.width
    const y = (area.y + area.height * (0.5 + byY)) / picture.height
    setCentre({ x, y })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
    if (!step) return
    event.preventDefault()
    move(step[0]! * STEP, step[1]! * STEP)
  }
  const onPointerMove = (event: PointerEvent) => {
    const own = event.currentTarget as HTMLElement
    if (own.hasPointerCapture(event.pointerId))
      move(-event.movementX / own.clientWidth, -event.movementY / own.clientHeight)
  }
  return (
    <div class="crop">
      {/* biome-ignore lint/a11y/useSemanticElements: no element is for a part of a picture */}
      <div
        class="crop-frame"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move the part
        tabIndex={0}
        aria-label={t.crop}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={onPointerMove}
      >
        <canvas ref={canvas} />
      </div>
      <div class="crop-controls">
        <p class="hint">{t.cropHint}</p>
        <label>
          {t.zoom}
          <input
            type="range"
            min={1}
            max={4}
            step={0.05}
            value={zoom}
            style={{ '--level': (zoom - 1) / 3 }}
            onInput={(event) => setZoom(Number(event.currentTarget.value))}
          />
        </label>
        <button
          type="button"
          class="button primary"
          aria-disabled={isBusy}
          onClick={() => canvas.current?.toBlob((blob) => blob && onCrop(blob), 'image/jpeg', QUALITY)}
        >
          {t.sendPicture}
        </button>
        <button type="button" class="text-button" onClick={onClose}>
          {cancel}
        </button>
      </div>
    </div>
  )
}
