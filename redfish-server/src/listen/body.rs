//! Bodies of requests, within limits.

use axum::body::HttpBody;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::time::timeout;

use super::Limits;

/// Why there is no body.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// It is longer than [`Limits::body_bytes`]: 413.
    #[error("The body is too long")]
    TooLarge,
    /// It did not come within [`Limits::body`]: 408.
    #[error("The body took too long")]
    TooSlow,
    /// The client went away or broke the protocol: there is nobody to answer.
    #[error("The body did not come whole")]
    Broken,
}

/// Reads a body. A length that is announced and too large is refused before the first byte is asked for.
///
/// # Errors
/// [`BodyError`].
pub async fn read_body<B>(body: B, limits: &Limits) -> Result<Bytes, BodyError>
where
    B: HttpBody<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let announced = body.size_hint().lower();
    if announced == 0 && body.is_end_stream() {
        return Ok(Bytes::new());
    }
    if usize::try_from(announced).map_or(true, |announced| announced > limits.body_bytes) {
        return Err(BodyError::TooLarge);
    }
    match timeout(limits.body, Limited::new(body, limits.body_bytes).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
        Ok(Err(_)) => Err(BodyError::Broken),
        Err(_) => Err(BodyError::TooSlow),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn bodies() {
        async fn check(body: Body, expect: Result<&str, &str>) {
            let limits = Limits { body_bytes: 5, ..Limits::default() };
            let read = read_body(body, &limits).await.map_err(|error| error.to_string());
            let read = read.as_ref().map(|bytes| std::str::from_utf8(bytes).unwrap());
            assert_eq!(read.map_err(String::as_str), expect);
        }
        let chunks = |chunks: &'static [&'static str]| {
            let chunks = chunks.iter().map(|chunk| Ok::<_, std::io::Error>(*chunk));
            Body::from_stream(futures_util::stream::iter(chunks))
        };
        check(Body::empty(), Ok("")).await;
        check(Body::from("12345"), Ok("12345")).await;
        check(Body::from("123456"), Err("The body is too long")).await;
        check(chunks(&["12", "345"]), Ok("12345")).await;
        check(chunks(&["123", "456"]), Err("The body is too long")).await;
        let never = futures_util::stream::pending::<Result<Bytes, std::io::Error>>();
        check(Body::from_stream(never), Err("The body took too long")).await;
        let broken = futures_util::stream::iter([Err::<Bytes, _>(std::io::Error::other("gone"))]);
        check(Body::from_stream(broken), Err("The body did not come whole")).await;
    }
}
