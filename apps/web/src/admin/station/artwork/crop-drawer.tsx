import { lazyPage } from '../../../ui/loading/lazy-page.tsx'
import { Drawer } from '../../ui/layers/drawer.tsx'

const Crop = lazyPage(async () => (await import('../../crop/crop.tsx')).Crop)

/** Crops a chosen image for an artist. */
export function CropDrawer(props: {
  name: string
  file: File
  isBusy: boolean
  onCropped: (image: Blob) => void
  onClose: () => void
}) {
  const { name, onCropped, onClose, ...crop } = props
  return (
    <Drawer title={name} onClose={onClose}>
      <Crop {...crop} onCrop={onCropped} onClose={onClose} />
    </Drawer>
  )
}
