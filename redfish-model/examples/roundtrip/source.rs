//! Finds the documents.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The largest document that is read.
const MAX_DOCUMENT: u64 = 64 << 20;

/// Calls `visit` with the name and text of each JSON document below a path.
pub(crate) fn each_document(path: &Path, visit: &mut dyn FnMut(&str, &[u8])) -> Result<()> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if path.is_dir() {
        return folder(path, visit);
    }
    match extension {
        "zip" => archive(path, visit),
        _ => {
            visit(&path.display().to_string(), &bounded(File::open(path)?)?);
            Ok(())
        }
    }
}

fn folder(path: &Path, visit: &mut dyn FnMut(&str, &[u8])) -> Result<()> {
    let mut entries = std::fs::read_dir(path)?.collect::<Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let wanted = path.extension().is_some_and(|e| e == "json" || e == "zip");
        // Not through links: they can lead in circles.
        if entry.file_type()?.is_dir() || wanted && path.is_file() {
            each_document(&path, visit)?;
        }
    }
    Ok(())
}

fn archive(path: &Path, visit: &mut dyn FnMut(&str, &[u8])) -> Result<()> {
    let mut archive = zip::ZipArchive::new(File::open(path)?)?;
    for index in 0..archive.len() {
        let file = archive.by_index(index)?;
        let name = file.name()?.into_owned();
        if name.ends_with(".json") {
            let text = bounded(file)?;
            visit(&format!("{}: {name}", path.display()), &text);
        }
    }
    Ok(())
}

fn bounded(file: impl Read) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    file.take(MAX_DOCUMENT + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_DOCUMENT {
        return Err(Error::new(ErrorKind::InvalidData, "larger than 64 MiB"));
    }
    Ok(text)
}
