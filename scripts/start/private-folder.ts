import { chmod, mkdir } from 'node:fs/promises'

/**
 * Makes a folder that only its owner may enter, and tightens one that was more open.
 *
 * @throws the file system's error, when the folder can be neither made nor entered.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700).catch((error: NodeJS.ErrnoException) => {
    // A mounted folder may belong to another user, who then decides on access.
    if (error.code !== 'EPERM') throw error
  })
}
