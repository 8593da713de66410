import './crop.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useTexts } from '../data/panel.ts'
import { type Area, cropArea, sentSize } from './crop-area.ts'
import { useCropTexts } from './texts.ts'
import { useImage } from './use-image.ts'

const STEP = 0.02
const MAX_ZOOM = 4
const QUALITY = 0.9

interface Props {
  file: File
  isBusy: boolean
  onCrop: (jpeg: Blob) => void
  onClose: () => void
}

/** Lets somebody choose which 9:20 part of an image is kept: by dragging, by arrows, by zoom. */
export function Crop({ file, isBusy, onCrop, onClose }: Props) {
  const t = useCropTexts()
  const { cancel } = useTexts()
  const canvas = useRef<HTMLCanvasElement>(null)
  const image = useImage(file, onClose)
  const [centre, setCentre] = useState({ x: 0.5, y: 0.5 })
  const [zoom, setZoom] = useState(1)
  const area = image && cropArea(image, centre, zoom)
  useEffect(() => {
    if (canvas.current && image && area) draw(canvas.current, image, area)
  }, [image, centre, zoom])
  /** Moves the kept part by parts of itself, from where it is, so that it leaves an edge at once. */
  const move = (byX: number, byY: number) => {
    if (!image || !area) return
    const x = (area.x + area.width * (0.5 + byX)) / image.width
    const y = (area.y + area.height * (0.5 + byY)) / image.height
    setCentre({ x, y })
  }
  const save = () => {
    if (!isBusy && image) canvas.current?.toBlob((blob) => blob && onCrop(blob), 'image/jpeg', QUALITY)
  }
  return (
    <div class="crop">
      <Frame onMove={move}>
        <canvas ref={canvas} />
      </Frame>
      <div class="crop-controls">
        <p class="hint">{t.hint}</p>
        <label>
          {t.zoom}
          <input
            type="range"
            min={1}
            max={MAX_ZOOM}
            step={0.05}
            value={zoom}
            style={{ '--level': (zoom - 1) / (MAX_ZOOM - 1) }}
            onInput={(event) => setZoom(Number(event.currentTarget.value))}
          />
        </label>
        <button type="button" class="button primary" aria-disabled={isBusy || !image} onClick={save}>
          {t.save}
        </button>
        <button type="button" class="text-button" onClick={onClose}>
          {cancel}
        </button>
      </div>
    </div>
  )
}

/** Tells how far it was dragged or moved by arrows, in parts of itself. */
function Frame(props: { onMove: (byX: number, byY: number) => void; children: ComponentChildren }) {
  const { onMove, children } = props
  const t = useCropTexts()
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
    if (!step) return
    event.preventDefault()
    onMove(step[0]! * STEP, step[1]! * STEP)
  }
  const onPointerMove = (event: PointerEvent) => {
    const own = event.currentTarget as HTMLElement
    if (own.hasPointerCapture(event.pointerId))
      onMove(-event.movementX / own.clientWidth, -event.movementY / own.clientHeight)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: no element is for a part of an image
    <div
      class="crop-frame"
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move the part
      tabIndex={0}
      aria-label={t.frame}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
    >
      {children}
    </div>
  )
}

function draw(canvas: HTMLCanvasElement, image: ImageBitmap, area: Area): void {
  const { width, height } = sentSize(area)
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')!
  // JPEG has no transparency.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, area.x, area.y, area.width, area.height, 0, 0, width, height)
}
