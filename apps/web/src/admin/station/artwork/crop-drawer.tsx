import { lazyPage } from '../../../ui/loading/lazy-page.tsx'
import { Drawer } from '../../ui/layers/drawer.tsx'

const Crop = lazyPage(async () => (await import('../../crop/crop.tsx')).Crop)

/** Crops a chosen image for an artist. */
export function CropDrawer(props: {
  artist: string
  file: File
  isBusy: boolean
  onCropped: (image: Blob) => void
  onClose: () => void
}) {
  const { artist, onCropped, onClose, ...crop } = props
  return (
    <Drawer title={artist} onClose={onClose}>
      <Crop {...crop} onCrop={onCropped} onClose={onClose} />
    </Drawer>
  )
}
